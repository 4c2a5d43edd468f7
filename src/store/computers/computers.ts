import { sql } from 'kysely';
import { notify } from '../accounts/notifications.ts';
import { openBatchesByStore } from '../batching.ts';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';
import { type Placeholders, preparedByKey, preparedWith } from '../prepared.ts';

/** A computer or smartphone that reports for an account: it keeps a secret token, we keep its SHA-256. */
export interface ComputersTable {
  /** 128 random bits, base64url. */
  id: string;
  account_id: string;
  name: string;
  /** As it says itself: `linux`, `Windows 11`, … */
  platform: string;
  version: string | null;
  token_hash: string;
  created_at: number;
  last_seen_at: number;
  /** A `1` for each quarter of an hour with a sign of life, the newest last (`heartbeat-history.ts`). */
  signs: string;
  /** Records that came since somebody last looked whether there are too many. */
  records_since_trim: number;
  /** What its records say that somebody should do something about (`warnings.ts`). */
  warnings: string;
}

declare module '../database.ts' {
  interface Database {
    computers: ComputersTable;
  }
}

type NewComputer = Omit<ComputersTable, 'version' | 'records_since_trim' | 'warnings'>;

export const addComputer = (trx: StoreTransaction, computer: NewComputer) =>
  trx
    .insertInto('computers')
    .values({ ...computer, version: null, records_since_trim: 0, warnings: '' })
    .execute();

const computersWith = preparedByKey('token_hash', (store, isKey) =>
  store
    .selectFrom('computers')
    .innerJoin('accounts', 'accounts.id', 'computers.account_id')
    .selectAll('computers')
    .where(isKey('computers.token_hash'))
    .where('accounts.delete_at', 'is', null),
);

/** Not while the account is on its way out: a sign-in takes that back, and the tokens with it. */
export const findComputerByToken = async (store: Store, tokenHash: string): Promise<ComputersTable | undefined> =>
  (await computersWith(store, tokenHash))[0];

/** In the order in which they came. */
export const computersOf = (store: Store, accountId: string) =>
  store
    .selectFrom('computers')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

type SignOfLife = Pick<ComputersTable, 'id' | 'last_seen_at' | 'signs' | 'platform' | 'version'>;

const seen = preparedWith((store, { id, last_seen_at, signs, platform, version }: Placeholders<SignOfLife>) =>
  store.updateTable('computers').set({ last_seen_at, signs, platform, version }).where('id', '=', id).returning('id'),
);

/** Of one computer's that wait together the last one counts, as it would if they came one after the other. */
const seenTogether = openBatchesByStore(async (store, batch: readonly SignOfLife[]) => {
  const last = [...new Map(batch.map((sign) => [sign.id, sign])).values()];
  // In the order of their ids, in which nodes that note the same computers wait for each other and never both.
  last.sort((one, other) => (one.id < other.id ? -1 : 1));
  const { rows } = await sql<{ id: string }>`
    update computers set last_seen_at = told.last_seen_at, signs = told.signs, platform = told.platform, version = told.version
    from unnest(${last.map(({ id }) => id)}::text[], ${last.map((sign) => sign.last_seen_at)}::bigint[],
      ${last.map(({ signs }) => signs)}::text[], ${last.map(({ platform }) => platform)}::text[],
      ${last.map(({ version }) => version)}::text[]) as told (id, last_seen_at, signs, platform, version)
    where computers.id = told.id
    returning computers.id`.execute(store);
  const noted = new Set(rows.map(({ id }) => id));
  return batch.map(({ id }) => noted.has(id));
});

/** Notes a sign of life, and what came with it; a token that was revoked meanwhile changes nothing. */
export const recordHeartbeat = async (store: Store, sign: SignOfLife): Promise<boolean> =>
  engineOf(store) === 'postgres' ? seenTogether(store, sign) : (await seen(store, sign)).length > 0;

export const noteWarnings = (trx: StoreTransaction, { id, warnings }: Pick<ComputersTable, 'id' | 'warnings'>) =>
  trx.updateTable('computers').set({ warnings }).where('id', '=', id).execute();

interface OwnedComputer {
  readonly id: string;
  readonly accountId: string;
}

/** The renamed computer; undefined where the account has none with this id. */
export const renameComputer = (store: Store, { id, accountId, name }: OwnedComputer & { name: string }) =>
  store
    .updateTable('computers')
    .set({ name })
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returningAll()
    .executeTakeFirst();

/** Takes a computer out with its token and all its records; undefined where the account has none with this id. */
export const removeComputer = (store: Store, { id, accountId }: OwnedComputer) =>
  store
    .deleteFrom('computers')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .returning('name')
    .executeTakeFirst();

/** Removes an account's computers with what notifies of them. Returns how many there were. */
export async function removeComputersOf(trx: StoreTransaction, accountId: string): Promise<number> {
  const removed = await trx.deleteFrom('computers').where('account_id', '=', accountId).returning('id').execute();
  await trx.deleteFrom('notifications').where('account_id', '=', accountId).execute();
  return removed.length;
}

/** Removes the computers that were added to an account since then (ms since the epoch), each with a notification. */
export async function removeComputersSince(
  trx: StoreTransaction,
  { accountId, since, at }: { accountId: string; since: number; at: number },
): Promise<number> {
  const removed = await trx
    .deleteFrom('computers')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', since)
    .returning('name')
    .execute();
  for (const { name } of removed) await notify(trx, { account_id: accountId, at, kind: 'computer_removed', name });
  return removed.length;
}
