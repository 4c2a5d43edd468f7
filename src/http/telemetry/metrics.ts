import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, Registry } from 'prom-client';
import { rangeOf } from '../../contract/console.ts';
import { type SecondStepWay, secondStepWays } from '../../contract/sign-in/sign-in-methods.ts';
import type { Statement } from '../../store/database.ts';
import { isOutOfSpace } from '../../store/database-errors.ts';
import { bounceKinds, bounceReporters } from '../../store/emails/bounces.ts';
import type { Counters } from '../../store/operators/statistics.ts';

/** Counts events in this process for Prometheus. */
export type Metrics = ReturnType<typeof openMetrics>;

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

export function openMetrics(amrOfSignIns: Iterable<string>) {
  const registry = new Registry();
  const registers = [registry];
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `vestibule_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, ...labelNames: string[]) =>
    new Histogram({ name: `vestibule_${name}`, help, labelNames, buckets, registers });
  const requests = histogram('request_seconds', 'Duration of requests, in seconds.', 'method', 'route', 'status');
  const refusals = counter('refusals_total', 'Refused requests, by code and reason.', 'route', 'code', 'reason');
  const statements = histogram('database_seconds', 'Duration of database statements, in seconds.', 'outcome');
  const full = counter('database_full_total', 'Database statements that failed because the disk was full.');
  const calls = counter('calls_total', 'Attempts to place a call, by provider and outcome.', 'provider', 'outcome');
  const returned = counter('mail_returned_total', 'Bounced emails, by reporter and kind.', 'by', 'kind');
  const signIns = counter('sign_ins_total', 'Sessions that began, by authentication methods (RFC 8176).', 'amr');
  const secondSteps = counter(
    'second_steps_total',
    'Attempts to complete a sign-in with a second factor, by method and result.',
    ...['method', 'result'],
  );
  // Each series starts at 0: Prometheus does not count the first sample of a series as an increase.
  for (const amr of amrOfSignIns) signIns.inc({ amr }, 0);
  for (const method of secondStepWays) for (const result of secondStepResults) secondSteps.inc({ method, result }, 0);
  for (const by of bounceReporters) for (const kind of bounceKinds) returned.inc({ by, kind }, 0);
  return {
    registry,
    /** One database statement, and its duration. */
    statement({ milliseconds, failed, error }: Pick<Statement, 'milliseconds' | 'failed' | 'error'>): void {
      statements.observe({ outcome: failed ? 'failed' : 'answered' }, milliseconds / 1000);
      if (isOutOfSpace(error)) full.inc();
    },
    /** One attempt to place a call through a provider, and its outcome. */
    call: ({ provider, outcome }: { readonly provider: string; readonly outcome: string }): void =>
      calls.inc({ provider, outcome }),
    /** One report of a bounced email. */
    returned: (event: { readonly by: string; readonly kind: string }): void => returned.inc(event),
    /** One session that began, and the methods that proved its owner. */
    signIn: ({ amr }: { readonly amr: readonly string[] }): void => signIns.inc({ amr: amr.join(' ') }),
    /** One attempt to complete a sign-in with a second factor. */
    secondStep: (tried: {
      readonly method: SecondStepWay;
      readonly result: (typeof secondStepResults)[number];
    }): void => secondSteps.inc(tried),
    request({ method, route, status, milliseconds, code, reason }: CompletedRequest): void {
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

const signIns = ['/auth/login', '/auth/code/login', '/auth/passkeys/login', '/auth/second-step'];
/** A first step that needs another one is no refusal, nor are requests that prove nothing. */
const notRefused = ['second_step_required', 'csrf_failed', 'validation_failed', 'malformed_request'];

/** Counts the response times of requests to the API, and refused sign-ins by code and by network, for operators. */
export function countRequests(app: FastifyInstance, { count }: Pick<Counters, 'count'>): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const route = request.routeOptions.url ?? '';
    const code = request.logFields?.code;
    if (/^\/(?:auth|account|additionally|computers|oidc|operators)\//.test(route))
      count('response_times', rangeOf(reply.elapsedTime));
    if (code !== undefined && signIns.includes(route) && !notRefused.includes(code)) {
      count('sign_ins', `refused ${code}`);
      // The /24 of an IPv4 address, the /48 of an IPv6 address.
      const network = request.visitor.paidNetworks.at(-1)?.name;
      if (network !== undefined) count('refused_from', network);
    }
    done();
  });
}
