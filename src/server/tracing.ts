import { AsyncLocalStorage } from 'node:async_hooks';
import * as api from '@opentelemetry/api';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { FairGate } from '../access/fair-gate.ts';
import { laneOf } from '../access/lanes.ts';
import { seconds } from '../contract/units.ts';
import type { Outbox } from '../outbox/delivery/outbox-worker.ts';
import type { Passwords } from '../security/passwords.ts';
import { engineOf, type Statement, type Store } from '../store/database.ts';
import type { Config } from './settings/config.ts';

/** A timed operation. Its attributes never contain user input or identify a user. */
interface Operation {
  readonly name: string;
  readonly kind?: api.SpanKind;
  readonly attributes?: api.Attributes;
}

export type Tracing = NonNullable<Awaited<ReturnType<typeof openTracing>>>;

/** Sends spans to an OpenTelemetry collector. Undefined without one, and the libraries are then not loaded. */
export async function openTracing(config: Config, log: Pick<FastifyBaseLogger, 'warn'>) {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  // Dynamic imports of packages: the bundled server would load a module of ours at the start, with its imports
  // (docs/decisions/service.md, 0015).
  const [sdk, core, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: core.parseKeyPairsIntoRecord(config.OTEL_EXPORTER_OTLP_HEADERS),
    // A stopping service has little time left.
    timeoutMillis: seconds(2),
  });
  core.setGlobalErrorHandler((error) =>
    log.warn({ error: (error as Error).message }, 'the trace collector is unavailable; dropping traces'),
  );
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: seconds(1) })],
  });
  const tracer = provider.getTracer('vestibule');
  const current = new AsyncLocalStorage<api.Context | undefined>();

  return {
    /** `headers` identify the parent trace; pass them only if they come from a trusted proxy. */
    beginRequest(headers: Readonly<Record<string, unknown>> | undefined) {
      const parent = headers
        ? new core.W3CTraceContextPropagator().extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter)
        : api.ROOT_CONTEXT;
      const span = tracer.startSpan('', { kind: api.SpanKind.SERVER }, parent);
      return { span, within: (work: () => void) => current.run(api.trace.setSpan(parent, span), work) };
    },
    /** Records an operation of a request that has just ended, with its duration (ms). */
    record({ name, milliseconds, error, ...options }: Operation & { milliseconds: number; error: unknown }): void {
      const parent = current.getStore();
      if (!parent) return;
      const span = tracer.startSpan(name, { ...options, startTime: Date.now() - milliseconds }, parent);
      if (error !== undefined) fail(span, error);
      span.end();
    },
    /** Runs work within a new span; outside a request, without one. */
    async around<T>({ name, ...options }: Operation, work: () => Promise<T>): Promise<T> {
      const parent = current.getStore();
      if (!parent) return work();
      const span = tracer.startSpan(name, options, parent);
      try {
        return await current.run(api.trace.setSpan(parent, span), work);
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
    /** Runs work outside any request, even if called from one. */
    apart: <T>(work: () => T): T => current.run(undefined, work),
    /** Sends the remaining spans, within a time limit. */
    stop: (): Promise<void> => provider.shutdown().catch(() => undefined),
  };
}

/** Names the code of an error (SQLSTATE, SQLite, Node) or its class; never its message, which may contain user input. */
function fail(span: api.Span, error: unknown): void {
  const { code, errcode, name = '_OTHER' } = (error ?? {}) as { code?: unknown; errcode?: unknown; name?: string };
  span.setAttribute('error.type', String(errcode ?? code ?? name)).setStatus({ code: api.SpanStatusCode.ERROR });
}

/**
 * Records a span for each request, named by its route: paths and queries contain secrets of links and arbitrary input.
 * Joins the trace of the request's headers only if `isTrusted` accepts the connecting address.
 */
export function traceRequests(
  app: FastifyInstance,
  { tracing, isTrusted }: { tracing: Tracing; isTrusted: (address: string) => boolean },
): void {
  const requests = new WeakMap<object, ReturnType<Tracing['beginRequest']>>();
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, socket } = request.raw;
    const traced = tracing.beginRequest(isTrusted(socket.remoteAddress ?? '') ? headers : undefined);
    requests.set(request, traced);
    request.log = reply.log = request.log.child({ trace_id: traced.span.spanContext().traceId });
    traced.within(done);
  });
  // The body arrives in socket events, which run outside the request's context.
  app.addHook('preValidation', (request, _reply, done) => void requests.get(request)?.within(done));
  app.addHook('onSend', (request, { statusCode }, _payload, done) => {
    const { method, routeOptions, logFields } = request;
    const { span } = requests.get(request) ?? {};
    span?.updateName(routeOptions.url ? `${method} ${routeOptions.url}` : method).setAttributes({
      'http.request.method': method,
      'http.route': routeOptions.url,
      'http.response.status_code': statusCode,
      'vestibule.reference': request.id,
      'vestibule.code': logFields?.code,
      'vestibule.reason': logFields?.reason,
    });
    if (span && statusCode >= 500) fail(span, { code: logFields?.code ?? statusCode });
    span?.end();
    done();
  });
}

interface Traced extends Record<'gate' | 'lookups', FairGate> {
  readonly passwords: Passwords;
  readonly outbox: Outbox;
}

/** Wraps the services that requests wait for: each turn and each hash gets a span. */
export const traced = ({ gate, lookups, passwords, outbox }: Traced, { around, apart }: Tracing): Traced => {
  const traceGate = (gate: FairGate, name: string): FairGate => ({
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
  return {
    gate: traceGate(gate, 'hashes'),
    lookups: traceGate(lookups, 'lookups'),
    passwords: {
      ...passwords,
      hash: (password: string) => around({ name: 'password hash' }, () => passwords.hash(password)),
      verify: (...given: Parameters<typeof passwords.verify>) =>
        around({ name: 'password verify' }, () => passwords.verify(...given)),
    },
    // A request only wakes the outbox: emails leave after the response, together with those of other requests.
    outbox: { ...outbox, wake: () => apart(() => outbox.wake()) },
  };
};

const systems = { sqlite: 'sqlite', postgres: 'postgresql' } as const;

/** Records a database statement; its text contains placeholders instead of values. */
export const recordStatement =
  ({ record }: Tracing) =>
  ({ engine, sql, milliseconds, error }: Statement): void => {
    const operation = /\w+/.exec(sql)?.[0]?.toUpperCase() ?? '_OTHER';
    const attributes = { 'db.system.name': systems[engine], 'db.operation.name': operation, 'db.query.text': sql };
    record({ name: operation, kind: api.SpanKind.CLIENT, attributes, milliseconds, error });
  };

/** Puts the statements of a transaction into one span, which also covers the wait for its turn and for the disk. */
export function traceTransactions(store: Store, { around }: Tracing): void {
  const attributes = { 'db.system.name': systems[engineOf(store)], 'db.operation.name': 'TRANSACTION' };
  const begin = store.transaction.bind(store);
  store.transaction = () => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) =>
      around({ name: 'TRANSACTION', kind: api.SpanKind.CLIENT, attributes }, () => execute(work));
    return builder;
  };
}
