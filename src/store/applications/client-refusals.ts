import type { Store } from '../database.ts';

/**
 * The last refusal of each kind that requests of a client got. The library has a fixed number of explanations, so strangers
 * cannot make these rows many.
 */
interface ClientRefusalsTable {
  client_id: string;
  /** The error of the protocol, such as `invalid_grant`. */
  code: string;
  explanation: string;
  /** The parameter that was wrong, or an empty text. */
  value: string;
  route: string;
  /** Of the request, as in the log. */
  reference: string;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    client_refusals: ClientRefusalsTable;
  }
}

/** Records a refusal, in place of the last one of its kind. */
export const recordRefusal = (store: Store, refusal: ClientRefusalsTable) => {
  const { client_id: _id, code: _code, explanation: _explanation, ...last } = refusal;
  return store
    .insertInto('client_refusals')
    .values(refusal)
    .onConflict((conflict) => conflict.columns(['client_id', 'code', 'explanation']).doUpdateSet(last))
    .execute();
};

/** The last refusals of a client, the newest first. */
export const refusalsOf = (store: Store, clientId: string) =>
  store
    .selectFrom('client_refusals')
    .selectAll()
    .where('client_id', '=', clientId)
    .orderBy('at', 'desc')
    .orderBy('explanation')
    .limit(50)
    .execute();
