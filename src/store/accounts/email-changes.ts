import { sql } from 'kysely';
import { hours } from '../../contract/units.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import { recentIn } from '../wrong-clock.ts';
import { type AccountsTable, emailKey } from './accounts.ts';

/** How long the confirmation link in the email to the new address works, and the undo link in the other. */
const confirmWithin = hours(24);
export const undoWithin = hours(72);

/**
 * A change of an account's address: requested, confirmed from the new one, and for some days undoable from the old one.
 */
export interface EmailChangesTable {
  /** SHA-256 of the secret in the email to the new address. */
  token_hash: string;
  account_id: string;
  /** The new address. */
  email: string;
  created_at: number;
  changed_at: number | null;
  /** SHA-256 of the secret in the email to the old address. */
  undo_hash: string | null;
  old_email: string | null;
  /** When the old address was proven; an undo restores this. */
  old_email_proven_at: number | null;
  /** The session that requested the change; null if an operator did. */
  requested_in: string | null;
  /** The account's own session that confirmed it; null if a browser without one did. */
  confirmed_in: string | null;
}

declare module '../database.ts' {
  interface Database {
    email_changes: EmailChangesTable;
  }
}

/**
 * Adds a requested change, and deletes earlier ones to other addresses that are not confirmed: if someone requests a link
 * to the same address twice, both work until one is used.
 */
export async function addEmailChange(
  trx: StoreTransaction,
  change: Pick<EmailChangesTable, 'token_hash' | 'account_id' | 'email' | 'created_at' | 'requested_in'>,
): Promise<void> {
  await trx
    .deleteFrom('email_changes')
    .where('account_id', '=', change.account_id)
    .where('changed_at', 'is', null)
    .where('email', '!=', change.email)
    .execute();
  await trx
    .insertInto('email_changes')
    .values({
      ...change,
      changed_at: null,
      undo_hash: null,
      old_email: null,
      old_email_proven_at: null,
      confirmed_in: null,
    })
    .execute();
}

interface Presented {
  /** SHA-256 of a link's secret. */
  readonly hash: string;
  readonly now: number;
}

/** The request that a link confirms; undefined if the link has expired, is used, or is not ours. */
export const findEmailChange = (trx: StoreTransaction, { hash, now }: Presented) =>
  trx
    .selectFrom('email_changes')
    .selectAll()
    .where('token_hash', '=', hash)
    .where('changed_at', 'is', null)
    .where(recentIn(sql.ref('created_at'), { now, within: confirmWithin }))
    .executeTakeFirst();

/** The change that an account's owner requested and can still confirm, and until when (ms since the epoch). */
export async function pendingEmailChange(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<{ readonly email: string; readonly until: number } | undefined> {
  const change = await store
    .selectFrom('email_changes')
    .select(['email', 'created_at'])
    .where('account_id', '=', accountId)
    .where('changed_at', 'is', null)
    .where(recentIn(sql.ref('created_at'), { now, within: confirmWithin }))
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return change && { email: change.email, until: change.created_at + confirmWithin };
}

/** Whether the link was used, and the change that it confirmed was not undone. */
export const isUsedChangeLink = (trx: StoreTransaction, hash: string): Promise<boolean> =>
  hasRow(
    trx
      .selectFrom('email_changes')
      .select('token_hash')
      .where('token_hash', '=', hash)
      .where('changed_at', 'is not', null),
  );

/** The change that a link undoes; undefined if the link has expired, is used, or is not ours. */
export const findUndoableChange = (trx: StoreTransaction, { hash, now }: Presented) =>
  trx
    .selectFrom('email_changes')
    .selectAll()
    .where('undo_hash', '=', hash)
    .where('changed_at', '>', now - undoWithin)
    .executeTakeFirst();

/** Records that a request was confirmed, and how to undo the change. */
export const keepChange = (
  trx: StoreTransaction,
  tokenHash: string,
  made: Pick<EmailChangesTable, 'changed_at' | 'undo_hash' | 'old_email' | 'old_email_proven_at' | 'confirmed_in'>,
) => trx.updateTable('email_changes').set(made).where('token_hash', '=', tokenHash).execute();

/** The sessions that requested or confirmed the changes made at or after a time (ms since the epoch). */
export async function sessionsOfChangesSince(
  trx: StoreTransaction,
  { accountId, since }: { accountId: string; since: number },
): Promise<string[]> {
  const changes = await trx
    .selectFrom('email_changes')
    .select(['requested_in', 'confirmed_in'])
    .where('account_id', '=', accountId)
    .where('changed_at', '>=', since)
    .execute();
  const sessions = changes.flatMap(({ requested_in, confirmed_in }) => [requested_in, confirmed_in]);
  return [...new Set(sessions.filter((id) => id !== null))];
}

/** Deletes requests that are not confirmed: after a new password, someone with the old one must not finish them. */
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

/**
 * Until when (ms since the epoch) someone may undo a change of the account's address; 0 if there is nothing to undo.
 */
export async function undoableUntil(
  trx: Store,
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

/** Sets another address, and when it was proven; false if another account has it. */
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
