import { minutes } from '../../contract/durations.ts';
import type { Store, StoreTransaction } from '../database.ts';

/** How long a code adds a computer after it was asked for. */
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

/** Uses a code up. Gives the account to exactly one of any number of callers, while the code lives. */
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

/** No code of an account adds a computer any more: whoever had its password may have asked for one. */
export const forgetEnrolments = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('enrolments').where('account_id', '=', accountId).where('used_at', 'is', null).execute();
