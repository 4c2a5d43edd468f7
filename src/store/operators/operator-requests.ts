import { hours } from '../../contract/units.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** How long a request to the management API may be repeated with the same idempotency key. */
export const operatorRequestKept = hours(24);

/** Requests with an idempotency key that were not refused. */
export interface OperatorRequestsTable {
  /** Of the caller and the idempotency key. */
  hash: string;
  /** Hash of the method, path and body. */
  request: string;
  /** Id of the one request that was carried out. */
  attempt: string;
  /** Sealed; null until the response was sent. */
  response: string | null;
  created_at: number;
}

declare module '../database.ts' {
  interface Database {
    operator_requests: OperatorRequestsTable;
  }
}

export const findOperatorRequest = (store: Store, { hash, now }: { hash: string; now: number }) =>
  store
    .selectFrom('operator_requests')
    .selectAll()
    .where('hash', '=', hash)
    .where('created_at', '>', now - operatorRequestKept)
    .executeTakeFirst();

/** Marks a request as done in the transaction of its change; false if another one with the same key already did. */
export async function addOperatorRequest(trx: StoreTransaction, request: OperatorRequestsTable): Promise<boolean> {
  const { hash, attempt, created_at: now } = request;
  await trx
    .deleteFrom('operator_requests')
    .where('hash', '=', hash)
    .where('created_at', '<=', now - operatorRequestKept)
    .execute();
  await trx
    .insertInto('operator_requests')
    .values(request)
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute();
  // A request that makes several changes has marked itself before.
  const marked = await trx
    .selectFrom('operator_requests')
    .select('attempt')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return marked?.attempt === attempt;
}

export const keepOperatorResponse = (store: Store, { hash, response }: { hash: string; response: string }) =>
  store.updateTable('operator_requests').set({ response }).where('hash', '=', hash).execute();
