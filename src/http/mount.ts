import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import {
  type BodyRead,
  bodyOf,
  type Endpoint,
  type ParamsRead,
  type QueryRead,
  type ResponseBody,
} from '../contract/endpoint.ts';
import { Failure, type FailureCode, type Refusing } from '../contract/failures.ts';
import { fieldCodesOf, fieldFailures } from '../contract/fields/field-codes.ts';
import { readLastPlace } from '../contract/last-place.ts';
import { csrf, logout, refresh } from '../contract/sign-in/admission.ts';
import { proofOfWorkHeader, readyForTask } from '../contract/sign-in/proof-of-work.ts';
import type { Service } from '../server/service.ts';
import { lockSignedInAccount, type Owner } from '../store/access/session-owner.ts';
import type { StoreTransaction } from '../store/database.ts';
import { isForeignKeyViolation } from '../store/database-errors.ts';
import { withinBudget } from '../store/time-budget.ts';
import type { Visitor } from '../store/visitor.ts';
import { countOf, type RateLimiter } from './rate-limits/rate-limiter.ts';
import { isKnown, openResponseCompression, tagOf } from './responses/compression.ts';
import {
  hasOperatorKey,
  type OtherPrincipals,
  type Principal,
  type PrincipalOf,
  requirePrincipal,
  requireStepUp,
} from './session/authentication.ts';
import { requireCsrf } from './session/csrf.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint;
  }
}

/** The endpoints mounted on a server. The set grows as they are mounted. */
export function endpointsOf(app: FastifyInstance): ReadonlySet<Endpoint> {
  const endpoints = new Set<Endpoint>();
  app.addHook('onRoute', ({ config }) => {
    if (config?.endpoint) endpoints.add(config.endpoint);
  });
  return endpoints;
}

/** Context of a handler: the validated input, the principal that the endpoint requires, and the raw request. */
export type HandlerContext<E extends Endpoint> = PrincipalOf<E> & {
  readonly body: BodyRead<E>;
  readonly query: QueryRead<E>;
  readonly params: ParamsRead<E>;
  readonly visitor: Visitor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** The response body, or nothing if the endpoint has none. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response body needs no return statement
type HandlerResult<E extends Endpoint> = ResponseBody<E> extends undefined ? void : ResponseBody<E>;

type Handler<E extends Endpoint> = (context: HandlerContext<E>) => Promise<HandlerResult<E>> | HandlerResult<E>;

type ReadVersion<E extends Endpoint> = (context: HandlerContext<E>) => Promise<string>;

type Declaring<Code extends FailureCode> = Endpoint & Refusing<Code> & { readonly auth: 'bearer' };

interface ChangeOptions<E extends Endpoint> {
  /** Counts requests of the account, also those whose change is rolled back. */
  readonly limit?: E extends Refusing<'too_many_requests'> ? RateLimiter : never;
}

/** Decides about a change in its transaction; the account's row is locked. */
type Decide<E extends Endpoint, Result> = (
  trx: StoreTransaction,
  owner: Owner,
  input: HandlerContext<E>,
) => Promise<Result>;

const notModified = Symbol('not modified');

/** Names the version in the response. Read it before the content, which may be newer: then the next request reads it again. */
function isVersionKnown(
  version: string,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): boolean {
  const tag = tagOf(version);
  reply.header('etag', tag);
  return isKnown(request, tag);
}

/** They keep users signed in, and cost less than a place in the queue. */
const unqueued: ReadonlySet<Endpoint> = new Set<Endpoint>([csrf, refresh, logout, readLastPlace]);

export interface Mount {
  /** With the `version` of what a request reads, a browser that already has it gets 304 without a body. */
  <E extends Endpoint>(endpoint: E, handle: Handler<E>, version?: ReadVersion<E>): void;
  /**
   * Mounts a change by a signed-in user: counts the request, locks the account's row in a transaction, and decides there.
   * Refuses with `not_signed_in` if the session has ended since the request began. `respond` runs after the commit.
   */
  change<E extends Declaring<'not_signed_in'>, Result extends HandlerResult<E>>(
    endpoint: E,
    options: ChangeOptions<E>,
    decide: Decide<E, Result>,
  ): void;
  change<E extends Declaring<'not_signed_in'>, Result>(
    endpoint: E,
    options: ChangeOptions<E>,
    decide: Decide<E, Result>,
    respond: (result: Result, input: HandlerContext<E>) => Promise<HandlerResult<E>> | HandlerResult<E>,
  ): void;
}

/**
 * Mounts an endpoint of the contract: adds its CSRF check, authentication, validation and response status. A wing brings
 * along its kinds of principals.
 */
export function mountOn(app: FastifyInstance, service: Service, others: OtherPrincipals = {}): Mount {
  const onSend = openResponseCompression();
  const mount = <E extends Endpoint>(endpoint: E, handle: Handler<E>, version?: ReadVersion<E>): void => {
    const needsCsrf = endpoint.method !== 'GET' && endpoint.from !== 'computer';
    const body = bodyOf(endpoint, service.config.PASSWORD_MIN_LENGTH);
    const handleAsDeclared = requireDeclaredFailures(endpoint, service.config, handle);
    app.route({
      method: endpoint.method,
      url: endpoint.path,
      config: { endpoint },
      ...(endpoint.bodyLimit && { bodyLimit: endpoint.bodyLimit }),
      ...(endpoint.method === 'GET' && endpoint.auth === 'bearer' && { onSend }),
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        if (needsCsrf && !hasOperatorKey(endpoint, request)) requireCsrf(service, request);
        const run = async (useProof?: () => Promise<void>) => {
          const yields = !unqueued.has(endpoint);
          const turn = yields ? service.scheduler.begin(request.visitor) : undefined;
          if (turn) await turn;
          const work = async () => {
            await useProof?.();
            const judge = async () => {
              const principal = await requirePrincipal(endpoint, { service, request, others });
              if (endpoint.sensitive && 'signedIn' in principal)
                await requireStepUp(service, endpoint, principal.signedIn as Principal);
              const context: HandlerContext<E> = {
                ...principal,
                body: read(body, request.body ?? {}) as BodyRead<E>,
                query: read(endpoint.query, request.query) as QueryRead<E>,
                params: read(endpoint.params, request.params) as ParamsRead<E>,
                visitor: request.visitor,
                request,
                reply,
              };
              if (version && isVersionKnown(await version(context), context)) return notModified;
              return handleAsDeclared(context);
            };
            const result = await judge().catch(async (error: unknown) => {
              if (!isForeignKeyViolation(error)) throw error;
              // Another request deleted the account. SQLite shows that only after the commit, which this waits for.
              await service.store.transaction().execute(async () => undefined);
              return judge();
            });
            if (result === notModified) return reply.code(304).send();
            reply.code(endpoint.status);
            return endpoint.response ? endpoint.response.parse(result) : reply.send();
          };
          return withinBudget(work, service.timeBudget, { yields });
        };
        return endpoint.provesWork ? withProofOfWork(service, request, run) : run();
      },
    });
  };
  const change = <E extends Declaring<'not_signed_in'>>(
    endpoint: E,
    { limit }: { readonly limit?: RateLimiter },
    ...[decide, respond = (result) => result]: [
      decide: Decide<E, unknown>,
      respond?: (result: unknown, input: HandlerContext<E>) => unknown,
    ]
  ): void =>
    mount(endpoint, async (context) => {
      const { signedIn, visitor, reply } = context as unknown as HandlerContext<E> & { readonly signedIn: Principal };
      const { accountId, sessionId } = signedIn;
      if (limit) countOf(limit, endpoint as unknown as Refusing<'too_many_requests'>, { by: accountId, reply });
      const result = await service.store.transaction().execute(async (trx) => {
        const at = service.now();
        const account = await lockSignedInAccount(trx, { endpoint, accountId, sessionId, now: at });
        return decide(trx, { account, accountId, sessionId, visitor, at }, context);
      });
      service.outbox.wake();
      return (await respond(result, context)) as HandlerResult<E>;
    });
  return Object.assign(mount, { change }) as Mount;
}

function read(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Failure('malformed_request');
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new Failure('validation_failed', { fields: fieldFailures(result.error.issues) });
}

/**
 * Wraps a handler so that it can refuse only as its contract declares: pages have no text for other failures, and the
 * OpenAPI document does not list them. An undeclared failure becomes an internal error, and fails the test run.
 */
function requireDeclaredFailures<Context, Result>(
  endpoint: Endpoint,
  { NODE_ENV }: { readonly NODE_ENV: string },
  handle: (context: Context) => Promise<Result> | Result,
): (context: Context) => Promise<Result> {
  const fieldCodes = new Set<string>(fieldCodesOf(endpoint));

  function undeclaredIn({ code, detail }: Failure): string[] {
    const fields = (detail.fields ?? []).filter((refused) => !fieldCodes.has(refused.code));
    return [
      ...(Object.hasOwn(endpoint.failures, code) ? [] : [code]),
      ...fields.map((refused) => `${refused.field} ${refused.code}`),
    ];
  }

  return async (context) => {
    try {
      return await handle(context);
    } catch (thrown) {
      const undeclared = thrown instanceof Failure ? undeclaredIn(thrown) : [];
      if (undeclared.length === 0) throw thrown;
      const names = undeclared.join(', ');
      const error = new Error(`${endpoint.method} ${endpoint.path} does not declare ${names}`, { cause: thrown });
      // Vitest reports an unhandled rejection as an error.
      if (NODE_ENV === 'test') void Promise.reject(error);
      throw error;
    }
  };
}

/** Runs a request that no endpoint of the contract describes: in its fair turn, and within the time budget. */
export async function runScheduled<T>(
  { scheduler, timeBudget }: Pick<Service, 'scheduler' | 'timeBudget'>,
  { visitor }: FastifyRequest,
  work: () => Promise<T>,
): Promise<T> {
  const turn = scheduler.begin(visitor);
  if (turn) await turn;
  return withinBudget(work, timeBudget, { yields: true });
}

const header = proofOfWorkHeader.toLowerCase();

/**
 * Runs a request that a solved task moves ahead of others. During a flood, a browser that offered to solve a task gets
 * one instead of a long wait, and a new one after an invalid solution. Other clients wait as long as any request may.
 * `run` uses up the solution as its first query.
 */
async function withProofOfWork<T>(
  service: Pick<Service, 'proofOfWork' | 'cookies'>,
  request: FastifyRequest,
  run: (useProof?: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { proofOfWork, cookies } = service;
  const proof = request.headers[header];
  // A device cookie is usually of a known device, which has a lane of its own.
  if (typeof proof !== 'string' || cookies.read(request, 'device') !== undefined) return run();
  const purpose = { path: request.routeOptions.url ?? '', source: request.visitor.source };
  const refusal = () => new Failure('try_again_later', { retryAfter: 1, task: proofOfWork.newTask(purpose) });
  const orTask = (error: unknown): never => {
    throw error instanceof Failure && error.detail.isCrowded ? refusal() : error;
  };
  if (proof === readyForTask) {
    request.visitor = { ...request.visitor, work: 'ready' };
    return run().catch(orTask);
  }
  const task = proofOfWork.verify(proof, purpose);
  if (task === undefined) throw refusal();
  request.visitor = { ...request.visitor, work: 'done' };
  const useProof = async () => {
    if (!(await proofOfWork.use(task))) throw refusal();
  };
  return run(useProof).catch(orTask);
}
