import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { seconds } from '../../contract/durations.ts';

const reportEvery = seconds(10);

const refusal = [
  'HTTP/1.1 503 Service Unavailable',
  'Retry-After: 2',
  'Cache-Control: no-store',
  'Connection: close',
  'Content-Length: 0',
  '',
  '',
].join('\r\n');

/**
 * Keeps at most `most` connections open. A further one replaces the oldest that has no request in progress, or receives
 * 503 if all have one. Otherwise the system would drop connections silently, and files could not be opened.
 */
export function limitConnections(app: FastifyInstance, { most }: { readonly most: number }): void {
  /** Oldest first. */
  const open = new Set<Socket>();
  const busy = new Map<Socket, number>();
  const report = openReport(app, most);

  const oldestIdle = () => {
    for (const socket of open) if (!busy.has(socket)) return socket;
    return undefined;
  };

  app.server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const idle = oldestIdle();
      report(idle ? 'closedIdle' : 'refused');
      if (!idle) {
        socket.end(refusal);
        socket.destroySoon();
        return;
      }
      open.delete(idle);
      idle.destroy();
    }
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      busy.delete(socket);
    });
  });

  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (left > 0) busy.set(socket, left);
      else busy.delete(socket);
    });
  });
}

type Outcome = 'closedIdle' | 'refused';

/** Logs what happened to connections at most every ten seconds, beginning with the first. */
function openReport(app: FastifyInstance, most: number): (outcome: Outcome) => void {
  let counts = { closedIdle: 0, refused: 0 };
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    timer = undefined;
    if (counts.closedIdle + counts.refused === 0) return;
    app.log.warn({ ...counts, most }, tooManyConnections);
    counts = { closedIdle: 0, refused: 0 };
    timer = setTimeout(write, reportEvery).unref();
  };
  return (outcome) => {
    counts[outcome] += 1;
    if (!timer) write();
  };
}

const tooManyConnections =
  'all connections that the limit of open files allows are in use: raise LimitNOFILE, or limit connections in the proxy';
