import { type ExpressionBuilder, type Insertable, type Kysely, type Selectable, sql } from 'kysely';
import { minutes } from '../contract/units.ts';
import type { Database, Store, StoreTransaction } from './database.ts';
import { recentIn } from './wrong-clock.ts';

/** Tables of secrets that work once: links in emails, codes, and cookies of a sign-in that has begun. */
type SingleUseTable =
  | 'enrolments'
  | 'forward_auth_codes'
  | 'mail_codes'
  | 'operator_invitations'
  | 'passkey_challenges'
  | 'pending_sign_ins'
  | 'reset_links'
  | 'telegram_links';

interface Options<Keeps extends boolean> {
  /** Milliseconds after `created_at`; undefined if the time begins later, with an email. */
  readonly lifetime?: number;
  /** The row of a used or void secret is kept with its `used_at`; otherwise it is deleted. */
  readonly keeps: Keeps;
  /** A use voids the other secrets of the account. */
  readonly together?: boolean;
}

type Row = Readonly<Record<string, string | number | null>>;
type Tables = Readonly<Record<string, Row>>;

/**
 * Secrets that work once. A use is one statement, so that it succeeds for exactly one of several parallel callers, on any
 * node. Times are in milliseconds since the epoch.
 */
export function singleUse<Table extends SingleUseTable, Keeps extends boolean>(
  table: Table,
  { lifetime, keeps, together = false }: Options<Keeps>,
) {
  type Secret = Selectable<Database[Table]>;
  /** Columns that must have these values, usually just the hash of what was presented. */
  type Presented = Partial<Secret>;
  const name: string = table;
  const rows = (store: Store) => store as unknown as Kysely<Tables>;

  const isUsable =
    (presented: Presented, now: number) =>
    ({ and, eb }: ExpressionBuilder<Tables, string>) =>
      and([
        ...Object.entries(presented as Row).map(([column, value]) => eb(column, value === null ? 'is' : '=', value)),
        ...(keeps ? [eb('used_at', 'is', null)] : []),
        ...(lifetime === undefined ? [] : [recentIn(sql.ref('created_at'), { now, within: lifetime })]),
      ]);

  async function voidAll(store: Store, accountId: string, now: number): Promise<void> {
    if (keeps)
      await rows(store)
        .updateTable(name)
        .set({ used_at: now })
        .where('account_id', '=', accountId)
        .where('used_at', 'is', null)
        .execute();
    else await rows(store).deleteFrom(name).where('account_id', '=', accountId).execute();
  }

  return {
    async add(store: Store, secret: Omit<Insertable<Database[Table]>, 'used_at'>): Promise<void> {
      const row = { ...(secret as Row), ...(keeps && { used_at: null }) };
      await rows(store).insertInto(name).values(row).execute();
    },

    /** Finds a secret that still works. */
    async find(store: Store, presented: Presented, now: number): Promise<Secret | undefined> {
      const found = rows(store).selectFrom(name).selectAll().where(isUsable(presented, now));
      return (await found.executeTakeFirst()) as Secret | undefined;
    },

    /** Uses a secret that still works. Returns its row; undefined if it is used, void, expired or unknown. */
    async use(store: Store, presented: Presented, now: number): Promise<Secret | undefined> {
      const isRight = isUsable(presented, now);
      const used = keeps
        ? rows(store).updateTable(name).set({ used_at: now }).where(isRight).returningAll()
        : rows(store).deleteFrom(name).where(isRight).returningAll();
      const row = await used.executeTakeFirst();
      if (row && together) await voidAll(store, String(row.account_id), now);
      return row as Secret | undefined;
    },

    /** Voids the unused secrets of an account. */
    void: (store: Store, accountId: string, ...[now = 0]: Keeps extends true ? [now: number] : []): Promise<void> =>
      voidAll(store, accountId, now),
  };
}

/** How long the browser whose response was lost can repeat a step that works once. */
export const repeatableFor = minutes(1);

/** What a step that works once returned, for its own browser (docs/decisions/accounts.md, 0051). */
interface SingleUseResultsTable {
  /** SHA-256 of the step, the secret of its browser, and the request. */
  hash: string;
  /** Null if no account is involved. */
  account_id: string | null;
  /** Sealed: it may contain the secret of a cookie. */
  result: string;
  created_at: number;
}

declare module './database.ts' {
  interface Database {
    single_use_results: SingleUseResultsTable;
  }
}

/** Keeps the result of a step, in the transaction that uses its secret up. */
export const keepResult = (trx: StoreTransaction, { hash, ...kept }: SingleUseResultsTable) =>
  trx
    .insertInto('single_use_results')
    .values({ hash, ...kept })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet(kept))
    .execute();

/** The sealed result of a step that was used less than a minute ago. */
export async function findResult(
  store: Store,
  { hash, now }: { hash: string; now: number },
): Promise<string | undefined> {
  const kept = await store
    .selectFrom('single_use_results')
    .select('result')
    .where('hash', '=', hash)
    .where(recentIn(sql.ref('created_at'), { now, within: repeatableFor }))
    .executeTakeFirst();
  return kept?.result;
}
