import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import { minutes, seconds } from '../../contract/units.ts';

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
 * Keeps at most `max` connections open. A further one replaces the oldest that has no request in progress, or receives
 * 503 if all have one. Otherwise the system would drop connections silently, and files could not be opened.
 */
export function limitConnections(app: FastifyInstance, { max }: { readonly max: number }): void {
  /** Oldest first. */
  const open = new Set<Socket>();
  const busy = new Map<Socket, number>();
  const report = openReport(app, max);

  const oldestIdle = () => {
    for (const socket of open) if (!busy.has(socket)) return socket;
    return undefined;
  };

  app.server.on('connection', (socket: Socket) => {
    if (open.size >= max) {
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

/** Browsers and proxies wait for each response; programs that pipeline send a few requests ahead. */
const maxUnread = 16;

/** Closes a connection with too many responses that its client has not read: each of them takes memory. */
export function limitUnreadResponses(app: FastifyInstance): void {
  const unread = new WeakMap<Socket, number>();
  app.server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const count = (unread.get(socket) ?? 0) + 1;
    unread.set(socket, count);
    response.once('close', () => unread.set(socket, (unread.get(socket) ?? 1) - 1));
    if (count > maxUnread) socket.destroy();
  });
}

type Outcome = 'closedIdle' | 'refused';

/** Logs what happened to connections at most every ten seconds, beginning with the first. */
function openReport(app: FastifyInstance, max: number): (outcome: Outcome) => void {
  let counts = { closedIdle: 0, refused: 0 };
  let timer: NodeJS.Timeout | undefined;
  const write = () => {
    timer = undefined;
    if (counts.closedIdle + counts.refused === 0) return;
    app.log.warn({ ...counts, most: max }, tooManyConnections);
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

/** Load balancers check at least twice in this time; the default of AWS is every 30 seconds. */
const watchedWithin = minutes(2);

/** Whether this node is about to stop: it reports that it is not ready, but still responds to every request. */
export type Draining = ReturnType<typeof openDraining>;

/** `elapsed` is in milliseconds, since any moment. */
export function openDraining(elapsed: () => number = () => performance.now()) {
  let isBegun = false;
  let checks: readonly number[] = [];
  return {
    begin: (): void => {
      isBegun = true;
    },
    get isBegun() {
      return isBegun;
    },
    /** Records that something asked whether this node is ready. */
    noticeCheck: (): void => {
      checks = [...checks.slice(-1), elapsed()];
    },
    /**
     * Whether something asks regularly, such as a load balancer: it then learns that this node is about to stop. One check
     * may be a person, or a script that waits for the start.
     */
    isWatched: (): boolean => checks.filter((at) => elapsed() - at < watchedWithin).length > 1,
  };
}

/** Asks clients to close their connection after the response (RFC 9112, section 9.6), instead of cutting it later. */
export function closeConnectionsWhileDraining(app: FastifyInstance, draining: Draining): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (draining.isBegun) reply.header('connection', 'close');
    done();
  });
}

/** Refuses requests with several Host headers (RFC 9112, section 3.2): a proxy in front may have read the other one. */
export function rejectMultipleHosts(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    let names = 0;
    for (let at = 0; at < raw.rawHeaders.length; at += 2) if (isHost(raw.rawHeaders[at])) names += 1;
    done(names > 1 ? new Failure('malformed_request') : undefined);
  });
}

const isHost = (name: string | undefined): boolean => name?.length === 4 && name.toLowerCase() === 'host';

/**
 * The path and query that routing sees: without the origin of a URL in absolute form, as for a proxy (RFC 9112, section
 * 3.2.2), and with malformed percent-encoding as literal text, so that a browser gets the localized 404 page.
 */
export const routedUrl = ({ url = '/' }: { url?: string | undefined }): string => {
  const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
  const rest = url.slice(origin.length);
  const [path = '', ...query] = (rest.startsWith('/') ? rest : `/${rest}`).split('?');
  return [isDecodable(path) ? path : path.replaceAll('%', '%25'), ...query].join('?');
};

function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true;
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}
