import { PassThrough } from 'node:stream';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { seconds } from '../../contract/durations.ts';

export type TracingLog = Record<'info' | 'warn', (details: object, message: string) => void>;

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
export async function openExporter({ endpoint, headers, log }: Collector) {
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
