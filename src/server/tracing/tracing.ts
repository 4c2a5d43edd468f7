import { AsyncLocalStorage } from 'node:async_hooks';
import { PassThrough } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attributes, Context, TextMapGetter } from '@opentelemetry/api';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
import { seconds } from '../../contract/units.ts';
import type { Config } from '../settings/config.ts';

/** A timed operation. Its attributes never contain user input or identify a user. */
interface SpanData {
  readonly name: string;
  readonly kind?: 'client' | 'internal' | undefined;
  readonly attributes: Attributes;
  /** The class or code of an error, never its message. */
  readonly error?: string | undefined;
}

/** The span of a request, and the parent of the spans within it. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs work as part of the request. */
  within<T>(work: () => T): T;
  end(data: SpanData): void;
}

/** Sends spans to an OpenTelemetry collector. */
export interface Tracing {
  /** `headers` identify the parent trace; pass them only if they come from a trusted proxy. */
  beginRequest(headers: Readonly<Record<string, unknown>> | undefined): RequestSpan;
  /** Records an operation that has just ended, with its duration (ms). Outside a request, only if `alone`. */
  recordSpan(data: SpanData & { readonly milliseconds: number; readonly alone?: boolean }): void;
  /** Runs work within a new span; outside a request, without one. */
  around<T>(data: SpanData, work: () => Promise<T>): Promise<T>;
  /** Runs work outside any request, even if called from one. */
  apart<T>(work: () => T): T;
  /** Fields for a log line: the id of the current trace. */
  logFields(): { readonly trace_id?: string };
  /** Sends the remaining spans, within a time limit. */
  stop(): Promise<void>;
}

/** The trace that the current work belongs to. */
interface TraceContext {
  readonly context: Context;
  readonly traceId: string;
  /** Milliseconds from the steady clock to the wall clock; fixed for a trace, so that all its spans share one clock. */
  readonly offset: number;
}

/** Short, because a stopping service has little time left. */
const flushesWithin = seconds(1.5);

/** Undefined without `OTEL_EXPORTER_OTLP_ENDPOINT`, and the libraries are then not loaded. */
export async function openTracing(config: Config, log: TracingLog): Promise<Tracing | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  // Dynamic imports of packages: the bundled server would load a module of ours at the start, with its imports
  // (docs/decisions/0015).
  const [api, sdk, { resourceFromAttributes }, { W3CTraceContextPropagator }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/core'),
  ]);
  const { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode } = api;
  const { exporter, leave } = await openExporter({ endpoint, headers: config.OTEL_EXPORTER_OTLP_HEADERS, log });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }),
    sampler: samplerOf(config, sdk),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: seconds(1) })],
  });
  const tracer = provider.getTracer('vestibule');
  const propagator = new W3CTraceContextPropagator();
  const trails = new AsyncLocalStorage<TraceContext | undefined>();
  const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };
  const newOffset = () => Date.now() - performance.now();

  function begin(
    { name, kind = 'internal', attributes }: SpanData,
    parent: TraceContext | undefined,
    startTime: number,
  ) {
    return tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, parent?.context ?? ROOT_CONTEXT);
  }

  function fail(span: ReturnType<typeof begin>, error: string | undefined): void {
    if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
  }

  return {
    beginRequest(headers) {
      const offset = newOffset();
      const context = headers ? propagator.extract(ROOT_CONTEXT, headers, headerGetter) : ROOT_CONTEXT;
      const startTime = offset + performance.now();
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER, startTime }, context);
      const { traceId } = span.spanContext();
      const trail = { context: trace.setSpan(context, span), traceId, offset };
      return {
        traceId,
        within: (work) => trails.run(trail, work),
        end({ name, attributes, error }) {
          fail(span.updateName(name).setAttributes(attributes), error);
          span.end(offset + performance.now());
        },
      };
    },
    recordSpan(data) {
      const trail = trails.getStore();
      if (!trail && !data.alone) return;
      const end = (trail?.offset ?? newOffset()) + performance.now();
      const span = begin(data, trail, end - data.milliseconds);
      fail(span, data.error);
      span.end(end);
    },
    async around(data, work) {
      const trail = trails.getStore();
      if (!trail) return work();
      const span = begin(data, trail, trail.offset + performance.now());
      try {
        return await trails.run({ ...trail, context: trace.setSpan(trail.context, span) }, work);
      } catch (error) {
        fail(span, errorType(error));
        throw error;
      } finally {
        span.end(trail.offset + performance.now());
      }
    },
    apart: (work) => trails.run(undefined, work),
    logFields() {
      const trail = trails.getStore();
      return trail ? { trace_id: trail.traceId } : {};
    },
    async stop() {
      const flushed = provider.shutdown().catch(() => undefined);
      await Promise.race([flushed, pause(flushesWithin, undefined, { ref: false })]);
      leave();
    },
  };
}

const headerGetter: TextMapGetter<Readonly<Record<string, unknown>>> = {
  keys: (headers) => Object.keys(headers),
  get(headers, name) {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  },
};

function samplerOf(
  { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: ratio }: Config,
  sdk: typeof import('@opentelemetry/sdk-trace'),
): Sampler {
  const samplers: Record<string, () => Sampler> = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const root = (samplers[name.replace('parentbased_', '')] ?? (() => new sdk.AlwaysOnSampler()))();
  return name.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root }) : root;
}

/** The code of an error (SQLSTATE, SQLite, Node) or its class; never its message, which may contain user input. */
export function errorType(error: unknown): string {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const data = errcode ?? code;
  if (typeof data === 'string' || typeof data === 'number') return String(data);
  return error instanceof Error ? error.name : '_OTHER';
}

type TracingLog = Record<'info' | 'warn', (details: object, message: string) => void>;

/** For one batch, including retries: less than the time limit of a shutdown. */
const sentWithin = seconds(4);
/** `ExportResultCode.SUCCESS` of the OpenTelemetry library. */
const success = 0;

interface Collector {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: TracingLog;
}

/** Exports to a collector by OTLP over HTTP in JSON. Logs each outage once, and each recovery once. */
async function openExporter({ endpoint, headers, log }: Collector) {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { Agent } = await (endpoint.startsWith('https:') ? import('node:https') : import('node:http'));
  const agent = new Agent({ keepAlive: true });
  const otlp = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: sentWithin,
    httpAgentOptions: () => agent,
  });
  let isReached = true;
  const exporter: SpanExporter = {
    export(spans, done) {
      otlp.export(spans, (result) => {
        if (result.code !== success && isReached)
          log.warn({ error: reasonOf(result.error) }, 'the trace collector is unavailable; dropping traces');
        if (result.code === success && !isReached) log.info({}, 'the trace collector is available again');
        isReached = result.code === success;
        done(result);
      });
    },
    forceFlush: () => otlp.forceFlush(),
    shutdown: () => otlp.shutdown(),
  };
  /** Aborts exports in progress and their retries, so that the process can end. */
  const leave = () => {
    agent.createConnection = (_options, done) => {
      done?.(new Error('the service is stopping'), new PassThrough());
      return null;
    };
    agent.destroy();
  };
  return { exporter, leave };
}

const reasonOf = (error: (Error & { code?: unknown }) | undefined): string =>
  [error?.code, error?.message].filter(Boolean).join(' ') || 'unknown';
