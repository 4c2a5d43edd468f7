import { PassThrough } from 'node:stream';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { seconds } from '../../contract/durations.ts';

export type TracingLog = Record<'info' | 'warn', (details: object, message: string) => void>;

/** For one batch, trying again included: less than a service that stops may take. */
const sentWithin = seconds(4);
/** `ExportResultCode.SUCCESS` of the library. */
const success = 0;

interface Collector {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly log: TracingLog;
}

/** The way to a collector, by OTLP over HTTP in JSON. One that cannot be reached is told of once, and once when it is back. */
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
          log.warn({ error: reasonOf(result.error) }, 'the collector takes no traces; they are dropped');
        if (result.code === success && !isReached) log.info({}, 'the collector takes traces again');
        isReached = result.code === success;
        done(result);
      });
    },
    forceFlush: () => otlp.forceFlush(),
    shutdown: () => otlp.shutdown(),
  };
  /** Breaks off what is being sent, and what would be tried again, so that the process can end. */
  const leave = () => {
    agent.createConnection = (_options, done) => {
      done?.(new Error('the service stops'), new PassThrough());
      return null;
    };
    agent.destroy();
  };
  return { exporter, leave };
}

const reasonOf = (error: (Error & { code?: unknown }) | undefined): string =>
  [error?.code, error?.message].filter(Boolean).join(' ') || 'unknown';
