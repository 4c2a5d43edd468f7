import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until a field is added. */
    logFields: RequestLogFields | undefined;
  }
}

/** Optional fields of a request's line: the account and session concerned, and why the request was refused. */
interface RequestLogFields {
  readonly account?: string | undefined;
  readonly session?: string | undefined;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
}

/** Adds fields to a request's line. */
export function addToRequestLog(request: FastifyRequest, more: RequestLogFields): void {
  request.logFields = { ...request.logFields, ...more };
}

/**
 * Writes one line per request, with the reference that pages show as `reqId`. It has the route instead of the URL,
 * because a query may contain an address or a secret. Written when the response is ready, even if the client has left.
 */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('logFields');
  const tellsAll = app.log.level === 'debug' || app.log.level === 'trace';
  // biome-ignore lint/complexity/useMaxParams: Fastify's signature; an async hook would cost every request a promise
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isOrdinary = request.method === 'GET' && (reply.statusCode < 400 || reply.statusCode === 404);
    if (isOrdinary && !tellsAll) return done();
    const { method, visitor, routeOptions, logFields } = request;
    const line = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
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
