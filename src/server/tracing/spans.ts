import { SpanKind } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import type { FairGate } from '../../access/fair-gate.ts';
import { laneOf } from '../../access/lanes.ts';
import type { DeliveryAttempt } from '../../outbox/delivery/delivery-attempt.ts';
import type { CallAttempt } from '../../phone-calls/calls.ts';
import { type Engine, engineOf, type Statement, type Store } from '../../store/database.ts';
import type { Service } from '../service.ts';
import { errorType, type Tracing } from './tracing.ts';

const kind = SpanKind.CLIENT;
const systems: Record<Engine, string> = { sqlite: 'sqlite', postgres: 'postgresql' };
const serverFault = 500;

/**
 * Records a span for each request, named by its route: paths and queries contain secrets of links and arbitrary input.
 * Joins the trace of the request's headers only if `isTrusted` accepts the connecting address.
 */
export function traceRequests(
  app: FastifyInstance,
  { tracing, isTrusted }: { tracing: Tracing; isTrusted: (address: string) => boolean },
): void {
  const spans = new WeakMap<object, ReturnType<Tracing['beginRequest']>>();
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
  app.addHook('onSend', (request, { statusCode }, _payload, done) => {
    const { method, routeOptions, logFields } = request;
    const { url: route } = routeOptions;
    spans.get(request)?.end({
      name: route ? `${method} ${route}` : method,
      attributes: {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': statusCode,
        'vestibule.reference': request.id,
        'vestibule.code': logFields?.code,
        'vestibule.reason': logFields?.reason,
      },
      error: statusCode >= serverFault ? (logFields?.code ?? String(statusCode)) : undefined,
    });
    spans.delete(request);
    done();
  });
}

/** Wraps the services that requests wait for, so that each wait gets a span. */
export const traced = ({ gate, lookups, passwords, outbox }: Service, tracing: Tracing) => ({
  gate: traceGate(gate, tracing, 'hashes'),
  lookups: traceGate(lookups, tracing, 'lookups'),
  passwords: {
    ...passwords,
    hash: (password: string) =>
      tracing.around({ name: 'password hash', attributes: {} }, () => passwords.hash(password)),
    verify: (...given: Parameters<typeof passwords.verify>) =>
      tracing.around({ name: 'password verify', attributes: {} }, () => passwords.verify(...given)),
  },
  // A request only wakes the outbox: emails leave after the response, together with those of other requests.
  outbox: { ...outbox, wake: () => tracing.apart(() => outbox.wake()) },
});

/** Records how long requests wait for their turn. */
const traceGate = (gate: FairGate, { around }: Tracing, name: string): FairGate => ({
  ...gate,
  run(place, work) {
    const turn = Promise.withResolvers<void>();
    const attributes = { 'vestibule.gate': name, 'vestibule.lane': place.lane ?? laneOf(place.from) };
    around({ name: 'wait for a turn', attributes }, () => turn.promise).catch(() => undefined);
    const result = gate.run(place, () => {
      turn.resolve();
      return work();
    });
    result.catch(turn.reject);
    return result;
  },
});

/** Records a database statement; its text contains placeholders instead of values. */
export const recordStatement =
  ({ recordSpan }: Tracing) =>
  ({ engine, sql, milliseconds, error }: Statement): void => {
    const operation = /\w+/.exec(sql)?.[0]?.toUpperCase() ?? '_OTHER';
    const [, table] = /\b(?:from|into|update) "(\w+)"/.exec(sql) ?? [];
    recordSpan({
      name: table ? `${operation} ${table}` : operation,
      kind,
      milliseconds,
      attributes: {
        'db.system.name': systems[engine],
        'db.operation.name': operation,
        'db.query.text': sql,
        'db.collection.name': table,
      },
      error: error === undefined ? undefined : errorType(error),
    });
  };

/** Puts the statements of a transaction into one span, which also covers the wait for its turn and for the disk. */
export function traceTransactions(store: Store, { around }: Tracing): void {
  const attributes = { 'db.system.name': systems[engineOf(store)], 'db.operation.name': 'TRANSACTION' };
  const begin = store.transaction.bind(store);
  store.transaction = () => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => around({ name: 'TRANSACTION', kind, attributes }, () => execute(work));
    return builder;
  };
}

export const recordEmail =
  ({ recordSpan }: Tracing) =>
  ({ id, notice, outcome, milliseconds }: DeliveryAttempt): void =>
    recordSpan({
      name: 'send mail',
      kind,
      alone: true,
      milliseconds,
      attributes: { 'vestibule.outbox': id, 'vestibule.notice': notice, 'vestibule.outcome': outcome },
      error: outcome === 'sent' || outcome === 'withheld' ? undefined : outcome,
    });

export const recordCall =
  ({ recordSpan }: Tracing) =>
  ({ call, provider, outcome, milliseconds }: CallAttempt): void =>
    recordSpan({
      name: 'place a call',
      kind,
      alone: true,
      milliseconds,
      attributes: { 'vestibule.call': call, 'vestibule.provider': provider, 'vestibule.outcome': outcome },
      error: outcome === 'placed' ? undefined : outcome,
    });
