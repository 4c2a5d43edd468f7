import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../security/secrets.ts';

/** Weak, because the same text is sent in several encodings (RFC 9110, section 8.8.1). */
export const tagOf = (content: Buffer | string): string => `W/"${sha256(content).slice(0, 22)}"`;

/** Whether the browser already has this version, by weak comparison (RFC 9110, section 13.1.2). */
export const isKnown = ({ headers }: FastifyRequest, tag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((known) => ['*', tag, tag.slice(2)].includes(known.trim()));
