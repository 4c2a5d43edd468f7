import { hours } from '../../contract/durations.ts';
import type { StoreTransaction } from '../database.ts';
import type { AccountsTable } from './accounts.ts';
import { emailKey } from './email-key.ts';

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
  /** When the old address had been proven, which an undo restores. */
  old_email_proven_at: number | null;
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
  await forgetPendingEmailChanges(trx, change.account_id);
  await trx
    .insertInto('email_changes')
    .values({ ...change, changed_at: null, undo_hash: null, old_email: null, old_email_proven_at: null })
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
  made: Required<Pick<EmailChangesTable, 'changed_at' | 'undo_hash' | 'old_email' | 'old_email_proven_at'>>,
) => trx.updateTable('email_changes').set(made).where('token_hash', '=', tokenHash).execute();

/** What was wished for and not confirmed: a new password takes it from whoever had the old one. */
export const forgetPendingEmailChanges = (trx: StoreTransaction, accountId: string) =>
  trx.deleteFrom('email_changes').where('account_id', '=', accountId).where('changed_at', 'is', null).execute();

/** Deletes a request for a change that turned out to change nothing. */
export const forgetEmailWish = (trx: StoreTransaction, tokenHash: string) =>
  trx.deleteFrom('email_changes').where('token_hash', '=', tokenHash).execute();

/** Deletes the changes that were made at or after a time (ms since the epoch): earlier ones can still be undone. */
export const forgetEmailChangesSince = (
  trx: StoreTransaction,
  { accountId, since }: { accountId: string; since: number },
) => trx.deleteFrom('email_changes').where('account_id', '=', accountId).where('changed_at', '>=', since).execute();

/** Until when (ms since the epoch) someone may undo a change of the account's address; 0 when nobody may. */
export async function undoableUntil(
  trx: StoreTransaction,
  { accountId, now }: { accountId: string; now: number },
): Promise<number> {
  const { newest } = await trx
    .selectFrom('email_changes')
    .select(({ fn }) => fn.max('changed_at').as('newest'))
    .where('account_id', '=', accountId)
    .where('changed_at', '>', now - undoWithin)
    .executeTakeFirstOrThrow();
  return newest === null ? 0 : Number(newest) + undoWithin;
}

/** Sets another address, and when it was proven to be the owner's; false when another account has it. */
export async function setEmail(
  trx: StoreTransaction,
  { id, email, provenAt }: Pick<AccountsTable, 'id' | 'email'> & { provenAt: number | null },
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
  await trx
    .updateTable('accounts')
    .set({ email, email_key: key, email_proven_at: provenAt })
    .where('id', '=', id)
    .execute();
  return true;
}
