import { isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../store/visitor.ts';

const userAgentKept = 300;

export const visitorOf = (request: FastifyRequest): Visitor => ({
  ip: request.ip,
  userAgent: (request.headers['user-agent'] ?? '').slice(0, userAgentKept),
  source: sourceOf(request.ip),
});

export function sourceOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(ip)) return ip;
  const [head = '', tail] = ip.split('%', 1)[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(':')}::/64`;
}
