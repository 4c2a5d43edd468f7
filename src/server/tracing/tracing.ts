import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Sampler } from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger } from 'fastify';
import { seconds } from '../../contract/units.ts';
import type { Config } from '../settings/config.ts';

/** A timed operation. Its attributes never contain user input or identify a user. */
interface SpanData {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes: Attributes;
  /** The class or code of an error, never its message. */
  readonly error?: string | undefined;
}

/** A span in progress, the parent of those within it. All spans of a trace share one clock (ms since the epoch). */
interface Trail {
  readonly span: Span;
  readonly context: Context;
  readonly clock: { now(): number };
}

export type Tracing = NonNullable<Awaited<ReturnType<typeof openTracing>>>;

/** Milliseconds for one batch, including retries: a stopping service has little time left. */
const sentWithin = seconds(2);

/** Sends spans to an OpenTelemetry collector. Undefined without one, and the libraries are then not loaded. */
export async function openTracing(config: Config, log: Pick<FastifyBaseLogger, 'info' | 'warn'>) {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  // Dynamic imports of packages: the bundled server would load a module of ours at the start, with its imports
  // (docs/decisions/0015).
  const [sdk, core, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${config.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`,
    headers: core.parseKeyPairsIntoRecord(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: sentWithin,
  });
  const exportSpans = exporter.export.bind(exporter);
  let isReached = true;
  exporter.export = (spans, done) =>
    exportSpans(spans, (result) => {
      const { code, message } = (result.error ?? {}) as { code?: unknown; message?: string };
      const wasReached = isReached;
      isReached = result.code === core.ExportResultCode.SUCCESS;
      if (wasReached && !isReached)
        log.warn(
          { error: [code, message].filter(Boolean).join(' ') },
          'the trace collector is unavailable; dropping traces',
        );
      if (!wasReached && isReached) log.info({}, 'the trace collector is available again');
      done(result);
    });
  const samplers: Record<string, Sampler> = {
    always_on: new sdk.AlwaysOnSampler(),
    always_off: new sdk.AlwaysOffSampler(),
    traceidratio: new sdk.TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG),
  };
  const [, parent, sampler = ''] = /^(parentbased_)?(.+)$/.exec(config.OTEL_TRACES_SAMPLER) ?? [];
  const root = samplers[sampler] ?? new sdk.AlwaysOnSampler();
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': config.OTEL_SERVICE_NAME }),
    sampler: parent ? new sdk.ParentBasedSampler({ root }) : root,
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, scheduledDelayMillis: seconds(1) })],
  });
  const tracer = provider.getTracer('vestibule');
  const propagator = new core.W3CTraceContextPropagator();
  const trails = new AsyncLocalStorage<Trail | undefined>();
  const newTrace = (context = ROOT_CONTEXT) => ({ context, clock: new core.AnchoredClock(Date, performance) });

  function begin({ context, clock }: Omit<Trail, 'span'>, kind = SpanKind.INTERNAL, ago = 0): Trail {
    const span = tracer.startSpan('', { kind, startTime: clock.now() - ago }, context);
    return { span, context: trace.setSpan(context, span), clock };
  }

  function end({ span, clock }: Trail, { name, attributes, error }: SpanData): void {
    span.updateName(name).setAttributes(attributes);
    if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    span.end(clock.now());
  }

  return {
    /** `headers` identify the parent trace; pass them only if they come from a trusted proxy. */
    beginRequest(headers: Readonly<Record<string, unknown>> | undefined) {
      const trail = begin(
        newTrace(headers && propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)),
        SpanKind.SERVER,
      );
      return {
        traceId: trail.span.spanContext().traceId,
        /** Runs work as part of the request. */
        within: <T>(work: () => T): T => trails.run(trail, work),
        end: (data: SpanData): void => end(trail, data),
      };
    },
    /** Records an operation that has just ended, with its duration (ms). Outside a request, only if `alone`. */
    recordSpan(data: SpanData & { readonly milliseconds: number; readonly alone?: boolean }): void {
      const trail = trails.getStore() ?? (data.alone && newTrace());
      if (trail) end(begin(trail, data.kind, data.milliseconds), data);
    },
    /** Runs work within a new span; outside a request, without one. */
    async around<T>(data: SpanData, work: () => Promise<T>): Promise<T> {
      const parentTrail = trails.getStore();
      if (!parentTrail) return work();
      const trail = begin(parentTrail, data.kind);
      let error: string | undefined;
      try {
        return await trails.run(trail, work);
      } catch (thrown) {
        error = errorType(thrown);
        throw thrown;
      } finally {
        end(trail, { ...data, error });
      }
    },
    /** Runs work outside any request, even if called from one. */
    apart: <T>(work: () => T): T => trails.run(undefined, work),
    /** Fields for a log line: the id of the current trace. */
    logFields: (): { readonly trace_id?: string } => {
      const traceId = trails.getStore()?.span.spanContext().traceId;
      return traceId ? { trace_id: traceId } : {};
    },
    /** Sends the remaining spans, within a time limit. */
    stop: (): Promise<void> => provider.shutdown().catch(() => undefined),
  };
}

/** The code of an error (SQLSTATE, SQLite, Node) or its class; never its message, which may contain user input. */
export function errorType(error: unknown): string {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  const data = errcode ?? code;
  if (typeof data === 'string' || typeof data === 'number') return String(data);
  return error instanceof Error ? error.name : '_OTHER';
}
