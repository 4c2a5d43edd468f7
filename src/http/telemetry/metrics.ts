import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, Registry } from 'prom-client';
import { bounceKinds, bounceReporters } from '../../store/emails/bounces.ts';

/** What happens in this process, counted for Prometheus as it happens. */
export interface Metrics {
  readonly registry: Registry;
  /** One statement that the database was asked, and the milliseconds that it took. */
  statement(event: { readonly milliseconds: number; readonly failed: boolean }): void;
  /** One try of a provider to place a call, and what became of it. */
  call(tried: { readonly provider: string; readonly outcome: string }): void;
  /** One report that a mail came back. */
  returned(event: { readonly by: string; readonly kind: string }): void;
  request(answered: CompletedRequest): void;
}

interface CompletedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
}

/** Seconds: a page from memory, a refresh, a hash, and whoever waits. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function openMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'vestibule_request_seconds',
    help: 'Requests that were answered, by how long that took.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const refusals = new Counter({
    name: 'vestibule_refusals_total',
    help: 'Requests that were refused, by the code and the reason that were told.',
    labelNames: ['route', 'code', 'reason'],
    registers,
  });
  const statements = new Histogram({
    name: 'vestibule_database_seconds',
    help: 'Statements, by how long their answer took.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  const calls = new Counter({
    name: 'vestibule_calls_total',
    help: 'Tries to place a call, by provider and outcome.',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  const returned = new Counter({
    name: 'vestibule_mail_returned_total',
    help: 'Mails that came back, by who told it and why.',
    labelNames: ['by', 'kind'],
    registers,
  });
  // What has never happened is 0 as well: a rise from nothing is no rise to Prometheus.
  for (const by of bounceReporters) for (const kind of bounceKinds) returned.inc({ by, kind }, 0);
  return {
    registry,
    statement: ({ milliseconds, failed }) =>
      statements.observe({ outcome: failed ? 'failed' : 'answered' }, milliseconds / 1000),
    call: ({ provider, outcome }) => calls.inc({ provider, outcome }),
    returned: (event) => returned.inc(event),
    request({ method, route, status, milliseconds, code, reason }) {
      requests.observe({ method, route, status: String(status) }, milliseconds / 1000);
      if (code !== undefined) refusals.inc({ route, code, reason: reason ?? '' });
    },
  };
}

/** Has every request counted, also where nobody was left to be answered. By route: paths are anything that strangers think of. */
export function measureRequests(app: FastifyInstance, { request: count }: Metrics): void {
  // biome-ignore lint/complexity/useMaxParams: Fastify's, and an async hook would cost every request a promise
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { method, routeOptions, logFields } = request;
    const route = routeOptions.url ?? 'none';
    const { code, reason } = logFields ?? {};
    count({ method, route, status: reply.statusCode, milliseconds: reply.elapsedTime, code, reason });
    done();
  });
}
