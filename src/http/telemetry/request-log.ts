import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined until something is told. */
    logFields: RequestLogFields | undefined;
  }
}

/** What a request's line says beside the rest: whose account and session it was about, and why it was refused. */
interface RequestLogFields {
  readonly account?: string | undefined;
  readonly session?: string | undefined;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
}

/** Has the line of a request say more. */
export function addToRequestLog(request: FastifyRequest, more: RequestLogFields): void {
  request.logFields = { ...request.logFields, ...more };
}

/**
 * One line a request: who, what, when, where, and as `reqId` the reference that pages show. The route, not the URL,
 * since a query may hold an address or a secret. Written when the answer is ready, whatever has become of the client.
 */
export function logRequests(app: FastifyInstance): void {
  app.decorateRequest('logFields');
  const tellsAll = app.log.level === 'debug' || app.log.level === 'trace';
  // biome-ignore lint/complexity/useMaxParams: Fastify's, and an async hook would cost every request a promise
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
