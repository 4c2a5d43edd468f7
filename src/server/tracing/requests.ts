import type { FastifyInstance } from 'fastify';
import type { RequestSpan, Tracing } from './tracing.ts';

const serverFault = 500;

/**
 * Records a span for each request, named by its route: paths and queries contain secrets of links and arbitrary input.
 * Joins the trace of the request's headers only if `isTrusted` accepts the connecting address.
 */
export function traceRequests(
  app: FastifyInstance,
  { tracing, isTrusted }: { tracing: Tracing; isTrusted: (address: string) => boolean },
): void {
  const spans = new WeakMap<object, RequestSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, socket } = request.raw;
    const span = tracing.beginRequest(isTrusted(socket.remoteAddress ?? '') ? headers : undefined);
    spans.set(request, span);
    request.log = reply.log = request.log.child({ trace_id: span.traceId });
    span.within(done);
  });
  // The body arrives in socket events, which run outside the request's context.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span) span.within(done);
    else done();
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { method, routeOptions, logFields } = request;
    const { statusCode } = reply;
    const { url: route } = routeOptions;
    spans.get(request)?.end({
      name: route ? `${method} ${route}` : method,
      attributes: {
        'http.request.method': method,
        ...(route && { 'http.route': route }),
        'http.response.status_code': statusCode,
        'vestibule.reference': request.id,
        ...(logFields?.code && { 'vestibule.code': logFields.code }),
        ...(logFields?.reason && { 'vestibule.reason': logFields.reason }),
      },
      ...(statusCode >= serverFault && { error: logFields?.code ?? String(statusCode) }),
    });
    spans.delete(request);
    done();
  });
}
