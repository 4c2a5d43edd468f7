import type { FastifyInstance } from 'fastify';
import type { Endpoint, ResponseBody } from '../contract/endpoint.ts';
import { Failure } from '../contract/failures.ts';
import { randomSecret, sha256 } from '../security/macs.ts';
import type { Service } from '../server/service.ts';
import type { StoreTransaction } from '../store/database.ts';
import {
  addOperatorRequest,
  findOperatorRequest,
  keepOperatorResponse,
  type OperatorRequestsTable,
} from '../store/operators/operator-requests.ts';
import { type HandlerContext, mountOn } from './mount.ts';
import { type OperatorPrincipal, openOperators } from './session/operator-principal.ts';

/** The arguments of an operator's decision (`operations/operation.ts`). */
interface Operation {
  readonly store: Service['store'];
  readonly parts: Service['parts'];
  readonly now: number;
  readonly operator: {
    readonly kind: OperatorPrincipal['kind'];
    readonly actor: string;
    readonly origin: string;
    readonly reason: string | undefined;
    readonly confirm: (trx: StoreTransaction) => Promise<void>;
  };
}

type OperatorEndpoint = Endpoint & { readonly auth: 'operator' };

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response body needs no return statement
type Result<E extends Endpoint> = ResponseBody<E> extends undefined ? void : ResponseBody<E>;

type OperatorContext<E extends OperatorEndpoint> = HandlerContext<E> & { readonly operation: Operation };

/**
 * Mounts an endpoint of the management API. Its handler calls operations, which add the entries of the audit log. A POST
 * request with an `Idempotency-Key` makes its change once, and gets the same response for 24 hours, also if it changed
 * nothing. Refusals are not kept: the same request may succeed once their cause is gone.
 */
export function mountOperatorsOn(app: FastifyInstance, service: Service) {
  const { store, parts, secrets } = service;
  const isReasonNeeded = service.config.CONSOLE_REASONS === 'required';
  const mount = mountOn(app, service, { operator: openOperators(service).read });
  return <E extends OperatorEndpoint>(
    endpoint: E,
    handle: (context: OperatorContext<E>) => Promise<Result<E>> | Result<E>,
  ): void =>
    mount(endpoint, async (context) => {
      const { operator, request, visitor, body, query, params } =
        context as unknown as HandlerContext<OperatorEndpoint>;
      if (hasNul([body, query, params])) throw new Failure('malformed_request');
      const now = service.now();
      const key =
        endpoint.method === 'POST' && !endpoint.readsOnly ? readKey(request.headers['idempotency-key']) : undefined;
      const mark: OperatorRequestsTable | undefined =
        key === undefined
          ? undefined
          : {
              hash: sha256(JSON.stringify([operator.kind, operator.id, key])),
              request: sha256(JSON.stringify([request.url, body])),
              attempt: randomSecret(128),
              response: null,
              created_at: now,
            };
      const confirm = async (trx: StoreTransaction) => {
        await operator.confirm(trx);
        if (mark && !(await addOperatorRequest(trx, mark))) throw new Failure('already_done');
      };
      const { reason } = (body ?? {}) as { readonly reason?: string };
      if (isReasonNeeded && endpoint.method !== 'GET' && !reason?.trim())
        throw new Failure('validation_failed', { fields: [{ field: 'reason', code: 'required' }] });
      const { kind, id: actor } = operator;
      const operation = { store, parts, now, operator: { kind, actor, origin: visitor.ip, reason, confirm } };
      const work = () => handle({ ...context, operation } as OperatorContext<E>);
      const result = mark ? await once(mark, work) : await work();
      service.outbox.wake();
      return result as never;
    });

  async function once<T>(mark: OperatorRequestsTable, work: () => Promise<T> | T): Promise<T> {
    const before = await findOperatorRequest(store, { hash: mark.hash, now: mark.created_at });
    if (before) return repeated(before, mark);
    try {
      const result = await work();
      const response = secrets.seal(Buffer.from(JSON.stringify(result ?? null)));
      const { hash, created_at: now } = mark;
      const other = await store.transaction().execute(async (trx) => {
        // A request that changed nothing has not marked itself, and is still answered once.
        if (!(await addOperatorRequest(trx, mark))) return findOperatorRequest(trx, { hash, now });
        await keepOperatorResponse(trx, { hash, response });
        return undefined;
      });
      return other ? repeated(other, mark) : result;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      // A parallel request with this key may have been first, and what it added may be the reason of this refusal. In a
      // transaction, because SQLite shows what the other request wrote only after their common commit.
      const other = await store
        .transaction()
        .execute((trx) => findOperatorRequest(trx, { hash: mark.hash, now: mark.created_at }));
      if (!other) throw error;
      return repeated(other, mark);
    }
  }

  function repeated<T>({ request, response }: OperatorRequestsTable, mark: OperatorRequestsTable): T {
    if (request !== mark.request) throw new Failure('idempotency_key_reused');
    if (response === null) throw new Failure('already_done');
    return JSON.parse(secrets.open(response).toString()) as T;
  }
}

/** PostgreSQL cannot store or compare it, and no name or address contains it. */
const hasNul = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('\0')
    : typeof value === 'object' && value !== null && Object.values(value).some(hasNul);

const keyForm = /^[!-~]{1,255}$/;

function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !keyForm.test(header)) throw new Failure('malformed_request');
  return header;
}
