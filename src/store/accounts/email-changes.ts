import { hours } from '../../contract/durations.ts';
import type { StoreTransaction } from '../database.ts';
import { type AccountsTable, emailKey } from './accounts.ts';

/** How long the link to the new address works, and the one that takes the change back. */
const confirmWithin = hours(24);
export const undoWithin = hours(72);

/** Another address for an account: wished for, then confirmed from there, and for some days taken back from the old one. */
export interface EmailChangesTable {
  /** SHA-256 of the secret that was mailed to the new address. */
  token_hash: string;
  account_id: string;
  /** The new one. */
  email: string;
  created_at: number;
  changed_at: number | null;
  /** SHA-256 of the secret that was mailed to the old address. */
  undo_hash: string | null;
  old_email: string | null;
}

declare module '../database.ts' {
  interface Database {
    email_changes: EmailChangesTable;
  }
}

/** Keeps a wish; one that was not confirmed before is forgotten. */
export async function addEmailChange(
  trx: StoreTransaction,
  change: Pick<EmailChangesTable, 'token_hash' | 'account_id' | 'email' | 'created_at'>,
): Promise<void> {
  await forgetEmailWishes(trx, change.account_id);
  await trx
    .insertInto('email_changes')
    .values({ ...change, changed_at: null, undo_hash: null, old_email: null })
    .execute();
}

interface Presented {
  /** SHA-256 of a link's secret. */
  readonly hash: string;
  readonly now: number;
}

/** The wish that a link confirms; undefined when it is too old, used, or none of ours. */
export const findEmailChange = (trx: StoreTransaction, { hash, now }: Presented) =>
  trx
    .selectFrom('email_changes')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('changed_at', 'is', null)
    .where('created_at', '>', now - confirmWithin)
    .executeTakeFirst();

/** The change that a link takes back; undefined when it is too old, used, or none of ours. */
export const findUndoableChange = (trx: StoreTransaction, { hash, now }: Presented) =>
  trx
    .selectFrom('email_changes')
    .selectAll()
    .where('undo_hash', '=', hash)
    .where('changed_at', '>', now - undoWithin)
    .executeTakeFirst();

/** Remembers that a wish was confirmed, and how it is taken back. */
export const keepChange = (
  trx: StoreTransaction,
  tokenHash: string,
  made: { readonly changed_at: number; readonly undo_hash: string; readonly old_email: string },
) => trx.updateTable('email_changes').set(made).where('token_hash', '=', tokenHash).execute();

/** What was wished for and not confirmed: a new password takes it from whoever had the old one. */
export const forgetEmailWishes = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('email_changes').where('account_id', '=', accountId).where('changed_at', 'is', null).execute();

/** No link of an account works any more, whoever it went to. */
export const forgetEmailChanges = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('email_changes').where('account_id', '=', accountId).execute();

/** Sets another address, which was just shown to be read; false when another account has it. */
export async function setEmail(
  trx: StoreTransaction,
  { id, email, at }: Pick<AccountsTable, 'id' | 'email'> & { at: number },
): Promise<boolean> {
  const key = emailKey(email);
  const taken = await trx
    .selectFrom('accounts')
    .select('id')
    .where('email_key', '=', key)
    .where('id', '!=', id)
    .executeTakeFirst();
  if (taken) return false;
  await trx.deleteFrom('unreachable_addresses').where('email_key', '=', key).execute();
  await trx.updateTable('accounts').set({ email, email_key: key, email_proven_at: at }).where('id', '=', id).execute();
  return true;
}
