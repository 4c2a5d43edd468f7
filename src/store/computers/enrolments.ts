import { minutes } from '../../contract/durations.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** How long a code works after it was requested. */
export const enrolmentLifetime = minutes(15);

/** A code that adds one computer to an account. */
export interface EnrolmentsTable {
  /** SHA-256 of the code. */
  code_hash: string;
  account_id: string;
  created_at: number;
  used_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    enrolments: EnrolmentsTable;
  }
}

export const addEnrolment = (store: Store, enrolment: Omit<EnrolmentsTable, 'used_at'>) =>
  store
    .insertInto('enrolments')
    .values({ ...enrolment, used_at: null })
    .execute();

/** Consumes a code that has not expired. Returns the account's id to exactly one of several parallel callers. */
export async function consumeEnrolment(
  trx: StoreTransaction,
  { codeHash, now }: { codeHash: string; now: number },
): Promise<string | undefined> {
  const consumed = await trx
    .updateTable('enrolments')
    .set({ used_at: now })
    .where('code_hash', '=', codeHash)
    .where('used_at', 'is', null)
    .where('created_at', '>', now - enrolmentLifetime)
    .returning('account_id')
    .executeTakeFirst();
  return consumed?.account_id;
}

/** Invalidates the codes of an account: someone with the old password may have requested one. */
export const forgetEnrolments = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('enrolments').where('account_id', '=', accountId).where('used_at', 'is', null).execute();
