import { type SqlBool, sql } from 'kysely';
import type { Store } from '../database.ts';
import { type AccountsTable, emailKey } from './accounts.ts';

/** Conditions that all hold. Times are in milliseconds since the epoch. */
export interface AccountFilter {
  /** The part of the address after the @. */
  readonly domain?: string | undefined;
  readonly group?: string | undefined;
  /** The id of an application that its owner has used. */
  readonly client?: string | undefined;
  /** Created at this time or later, and before this time. */
  readonly since?: number | undefined;
  readonly before?: number | undefined;
  /** No session was used at this time or later. */
  readonly idleSince?: number | undefined;
  readonly secondStep?: boolean | undefined;
  readonly passkey?: boolean | undefined;
  readonly proven?: boolean | undefined;
  /** By an operator. */
  readonly locked?: boolean | undefined;
  /** Its owner has planned its deletion. */
  readonly leaving?: boolean | undefined;
  /** Its address is suppressed. */
  readonly returned?: boolean | undefined;
  /** Its owner operates this service. */
  readonly operator?: boolean | undefined;
  /** A removal of the second step is planned. */
  readonly removal?: boolean | undefined;
}

interface Query {
  readonly filter: AccountFilter;
  /** The last account of the page before. */
  readonly after?: Pick<AccountsTable, 'created_at' | 'id'> | undefined;
  readonly limit: number;
}

/** Up to `limit` accounts that match, the newest first. */
export const accountsWhere = (store: Store, { filter, after, limit }: Query): Promise<AccountsTable[]> =>
  store
    .selectFrom('accounts')
    .selectAll()
    .where(({ and }) => and(conditionsOf(filter)))
    .$if(after !== undefined, (rows) =>
      rows.where(sql<SqlBool>`(created_at, id) < (${after?.created_at}, ${after?.id})`),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Whether an index has the accounts that match: any other filter may have to try all accounts. */
export const isLookedUp = ({ locked, leaving, returned, operator, secondStep, since }: AccountFilter): boolean =>
  [locked, leaving, returned, operator].includes(true) || secondStep === false || since !== undefined;

/** The ids of the accounts that match; undefined if there are more than `max`. */
export async function fewWhere(
  store: Store,
  { filter, max }: { readonly filter: AccountFilter; readonly max: number },
): Promise<string[] | undefined> {
  const rows = await store
    .selectFrom('accounts')
    .select('id')
    .where(({ and }) => and(conditionsOf(filter)))
    .limit(max + 1)
    .execute();
  return rows.length > max ? undefined : rows.map(({ id }) => id);
}

/** Those of some accounts that match. */
export const accountsAmong = (
  store: Store,
  { ids, filter }: { readonly ids: readonly string[]; readonly filter: AccountFilter },
): Promise<AccountsTable[]> =>
  store
    .selectFrom('accounts')
    .selectAll()
    .where('id', 'in', ['', ...ids])
    .where(({ and }) => and(conditionsOf(filter)))
    .execute();

export function conditionsOf(filter: AccountFilter) {
  const { domain, group, client, since, before, idleSince } = filter;
  const isSet = (column: string, wanted: boolean | undefined) =>
    wanted !== undefined && sql<SqlBool>`${sql.ref(column)} is ${wanted ? sql`not null` : sql`null`}`;
  const has = (wanted: boolean | undefined, rows: ReturnType<typeof sql>) =>
    wanted !== undefined && sql<SqlBool>`${wanted ? sql`` : sql`not`} exists (select 1 from ${rows})`;
  const own = sql`account_id = accounts.id`;
  const end = domain === undefined ? '' : emailKey(`x@${domain}`).slice(1);
  return [
    // Search keys may lag behind an import, and a list must be complete.
    domain !== undefined && sql<SqlBool>`substr(email_key, length(email_key) - ${end.length - 1}) = ${end}`,
    since !== undefined && sql<SqlBool>`created_at >= ${since}`,
    before !== undefined && sql<SqlBool>`created_at < ${before}`,
    isSet('second_step_at', filter.secondStep),
    isSet('email_proven_at', filter.proven),
    isSet('locked_at', filter.locked),
    isSet('delete_at', filter.leaving),
    has(filter.passkey, sql`passkeys where ${own}`),
    // The few that are returned, or operators, are looked up by these; all accounts are never tried.
    filter.returned === true && sql<SqlBool>`email_key in (select email_key from unreachable_addresses)`,
    filter.operator === true && sql<SqlBool>`id in (select account_id from operators)`,
    has(filter.removal, sql`second_step_removals where ${own}`),
    has(group === undefined ? undefined : true, sql`account_groups where ${own} and account_groups.name = ${group}`),
    has(client === undefined ? undefined : true, sql`connected_clients where ${own} and client_id = ${client}`),
    has(idleSince === undefined ? undefined : false, sql`sessions where ${own} and rotated_at >= ${idleSince}`),
  ].filter((condition) => condition !== false);
}
