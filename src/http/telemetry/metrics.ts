import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, Registry } from 'prom-client';
import { type SecondStepWay, secondStepWays } from '../../contract/sign-in/sign-in-methods.ts';
import { isOutOfSpace } from '../../store/database-errors.ts';
import { bounceKinds, bounceReporters } from '../../store/emails/bounces.ts';

/** Counts events in this process for Prometheus. */
export interface Metrics {
  readonly registry: Registry;
  /** One database statement, and its duration. */
  statement(event: { readonly milliseconds: number; readonly failed: boolean; readonly error?: unknown }): void;
  /** One attempt to place a call through a provider, and its outcome. */
  call(tried: { readonly provider: string; readonly outcome: string }): void;
  /** One report of a bounced email. */
  returned(event: { readonly by: string; readonly kind: string }): void;
  request(completed: CompletedRequest): void;
  /** One session that began, and the methods that proved its owner. */
  signIn(began: { readonly amr: readonly string[] }): void;
  /** One attempt to complete a sign-in with a second factor. */
  secondStep(tried: { readonly method: SecondStepWay; readonly result: (typeof secondStepResults)[number] }): void;
}

/** `failed`: a wrong code or passkey; `limited`: a lockout or rate limit; `expired`: the sign-in or the challenge. */
const secondStepResults = ['succeeded', 'failed', 'limited', 'expired'] as const;

interface CompletedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly code?: string | undefined;
  readonly reason?: string | undefined;
}

/** Seconds: from a page in memory, a refresh and a hash up to a long wait. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function openMetrics(amrOfSignIns: Iterable<string>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'vestibule_request_seconds',
    help: 'Duration of requests, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers,
  });
  const refusals = new Counter({
    name: 'vestibule_refusals_total',
    help: 'Refused requests, by code and reason.',
    labelNames: ['route', 'code', 'reason'],
    registers,
  });
  const statements = new Histogram({
    name: 'vestibule_database_seconds',
    help: 'Duration of database statements, in seconds.',
    labelNames: ['outcome'],
    buckets,
    registers,
  });
  const full = new Counter({
    name: 'vestibule_database_full_total',
    help: 'Database statements that failed because the disk was full.',
    registers,
  });
  const calls = new Counter({
    name: 'vestibule_calls_total',
    help: 'Attempts to place a call, by provider and outcome.',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  const returned = new Counter({
    name: 'vestibule_mail_returned_total',
    help: 'Bounced emails, by reporter and kind.',
    labelNames: ['by', 'kind'],
    registers,
  });
  const signIns = new Counter({
    name: 'vestibule_sign_ins_total',
    help: 'Sessions that began, by authentication methods (RFC 8176).',
    labelNames: ['amr'],
    registers,
  });
  const secondSteps = new Counter({
    name: 'vestibule_second_steps_total',
    help: 'Attempts to complete a sign-in with a second factor, by method and result.',
    labelNames: ['method', 'result'],
    registers,
  });
  // Each series starts at 0: Prometheus does not count the first sample of a series as an increase.
  for (const amr of amrOfSignIns) signIns.inc({ amr }, 0);
  for (const method of secondStepWays) for (const result of secondStepResults) secondSteps.inc({ method, result }, 0);
  for (const by of bounceReporters) for (const kind of bounceKinds) returned.inc({ by, kind }, 0);
  return {
    registry,
    statement({ milliseconds, failed, error }) {
      statements.observe({ outcome: failed ? 'failed' : 'answered' }, milliseconds / 1000);
      if (isOutOfSpace(error)) full.inc();
    },
    call: ({ provider, outcome }) => calls.inc({ provider, outcome }),
    returned: (event) => returned.inc(event),
    signIn: ({ amr }) => signIns.inc({ amr: amr.join(' ') }),
    secondStep: (tried) => secondSteps.inc(tried),
    request({ method, route, status, milliseconds, code, reason }) {
      requests.observe({ method, route, status: String(status) }, milliseconds / 1000);
      if (code !== undefined) refusals.inc({ route, code, reason: reason ?? '' });
    },
  };
}

/** Counts every request, even if its client has left. Labels it by route, because strangers can invent any path. */
export function measureRequests(app: FastifyInstance, { request: count }: Metrics): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { method, routeOptions, logFields } = request;
    const route = routeOptions.url ?? 'none';
    const { code, reason } = logFields ?? {};
    count({ method, route, status: reply.statusCode, milliseconds: reply.elapsedTime, code, reason });
    done();
  });
}
