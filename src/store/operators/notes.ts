import type { ActorKind } from '../../contract/operators.ts';
import { orderedId, type Store, type StoreTransaction } from '../database.ts';

/** What an operator wrote down about a person, for colleagues. The person gets it with the export of the account. */
interface OperatorNotesTable {
  /** UUID version 7: sorts by time. */
  id: string;
  account_id: string;
  at: number;
  actor_kind: ActorKind;
  /** As in the audit log. */
  actor: string;
  text: string;
}

declare module '../database.ts' {
  interface Database {
    operator_notes: OperatorNotesTable;
  }
}

export async function addNote(trx: StoreTransaction, note: Omit<OperatorNotesTable, 'id'>): Promise<string> {
  const id = orderedId();
  await trx
    .insertInto('operator_notes')
    .values({ id, ...note })
    .execute();
  return id;
}

/** The notes about a person, the newest first. */
export const notesAbout = (store: Store, { accountId, max }: { accountId: string; max: number }) =>
  store
    .selectFrom('operator_notes')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(max)
    .execute();
