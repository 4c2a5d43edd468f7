import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { minutes, seconds } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import { keepReference } from '../../store/operators/error-references.ts';
import { openRateLimiter } from '../rate-limits/rate-limiter.ts';
import { sessionOfCookie } from '../session/browser.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until a field is added. */
    logFields: RequestLogFields | undefined;
  }
}

/** Optional fields of a request's line: the account, session and client concerned, and why the request was refused. */
interface RequestLogFields {
  readonly client?: string | undefined;
  readonly account?: string | undefined;
  readonly session?: string | undefined;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
  /** An explanation for operators, which no label of a metric or a trace may have. */
  readonly detail?: string | undefined;
}

export function addToRequestLog(request: FastifyRequest, more: RequestLogFields): void {
  request.logFields = { ...request.logFields, ...more };
}

/**
 * Writes one line per request, with the reference that pages show as `reqId`. It has the route instead of the URL,
 * because a query may contain an address or a secret. Written when the response is ready, even if the client has left.
 */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('logFields');
  const logsAll = app.log.level === 'debug' || app.log.level === 'trace';
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { method, visitor, routeOptions, logFields } = request;
    const { statusCode } = reply;
    // A redirect may tell an application that its request was refused. Browsers announce requests with OPTIONS.
    const isRefused = statusCode === 404 ? false : statusCode >= 400 || logFields?.code !== undefined;
    const isOrdinary = (method === 'GET' || method === 'OPTIONS') && !isRefused;
    if (isOrdinary && !logsAll) return done();
    const line = {
      method,
      route: routeOptions.url,
      status: statusCode,
      ip: visitor?.ip,
      ms: Math.round(reply.elapsedTime),
      ...logFields,
      ...(request.raw.socket.destroyed && { left: true }),
    };
    if (isOrdinary) request.log.debug(line, 'request');
    else request.log.info(line, 'request');
    done();
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    logError: LogError;
  }
}

interface LoggedError {
  readonly log: FastifyBaseLogger;
  readonly level: 'warn' | 'error';
  readonly error: Error & { readonly code?: unknown };
  /** The message, the same for every error of its kind. */
  readonly says: string;
}

type LogError = (happened: LoggedError) => void;

/** Adds `logError` to a server. */
export function installErrorLog(app: FastifyInstance): void {
  const { write, end } = openErrorLog();
  app.decorate('logError', write);
  app.addHook('onClose', async () => end());
}

/** How often a recurring error is logged again, with its count since then. */
const repeatedEvery = seconds(10);
/** Kinds beyond this number are logged as one. */
const maxKinds = 50;

/** Logs a new error in full, and only counts repetitions: during an outage, every request has the same error. */
function openErrorLog(): { write: LogError; end(): void } {
  const kinds = new Map<string, { times: number; reportTimes(): void }>();

  function write({ log, level, error, says }: LoggedError): void {
    const name = `${says} ${error.code ?? ''} ${error.message}`;
    const key = kinds.has(name) || kinds.size < maxKinds ? name : '';
    const known = kinds.get(key);
    if (known) {
      known.times += 1;
      return;
    }
    log[level]({ err: error }, says);
    const kind = {
      times: 0,
      reportTimes() {
        if (kind.times > 0) log[level]({ code: error.code, error: error.message, times: kind.times }, `${says}, again`);
      },
    };
    kinds.set(key, kind);
    setTimeout(() => {
      if (kinds.delete(key)) kind.reportTimes();
    }, repeatedEvery).unref();
  }

  return {
    write,
    end() {
      for (const kind of kinds.values()) kind.reportTimes();
      kinds.clear();
    },
  };
}

/** In an outage, everyone sees one. */
const keptPerMinute = 60;

/** Keeps who saw the reference of an error, so that operators find the person by it. */
export function keepReferences(app: FastifyInstance, service: Service): void {
  const limit = openRateLimiter({ limit: keptPerMinute, within: minutes(1), now: service.now });
  const node = { source: '', networks: [] };
  app.addHook('onResponse', async (request, reply) => {
    const location = String(reply.getHeader('location') ?? '');
    if (reply.statusCode !== 500 && !location.includes(`reference=${request.id}`)) return;
    const sessionId = request.logFields?.session ?? sessionOfCookie(service, request);
    if (sessionId === undefined) return;
    if (limit.wait(node) > 0) return;
    limit.count(node);
    // The log has it, too.
    await keepReference(service.store, { reference: request.id, sessionId, at: service.now() }).catch(() => undefined);
  });
}
