import { openLookup } from '../batching.ts';
import { hasRow, type Store } from '../database.ts';

/** Groups of accounts: a claim for applications, and who may enter them. */
export interface AccountGroupsTable {
  account_id: string;
  name: string;
  added_at: number;
}

declare module '../database.ts' {
  interface Database {
    account_groups: AccountGroupsTable;
  }
}

/** Short, and safe in an HTTP header that lists several with commas. */
export const groupName = /^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,63}$/;
export const maxGroupsOfAccount = 100;

const groupsByAccount = openLookup('account_id', (store, isKey) =>
  store.selectFrom('account_groups').selectAll().where(isKey('account_id')),
);

/** The names of an account's groups, sorted. */
export const groupsOf = async (store: Store, accountId: string): Promise<readonly string[]> =>
  (await groupsByAccount(store, accountId)).map(({ name }) => name).sort();

export const admitsGroups = (client: { readonly groups: readonly string[] }, own: readonly string[]): boolean =>
  client.groups.length === 0 || client.groups.some((group) => own.includes(group));

interface Membership {
  readonly accountId: string;
  readonly group: string;
  readonly at: number;
}

/** False if the account already is in the group. */
export const addToGroup = (store: Store, { accountId, group, at }: Membership): Promise<boolean> =>
  hasRow(
    store
      .insertInto('account_groups')
      .values({ account_id: accountId, name: group, added_at: at })
      .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
      .returning('name'),
  );

/** In one statement: far below the number of parameters that either database allows. */
const batchSize = 1000;

/** Adds memberships of accounts that are in no group yet. */
export async function addToGroups(store: Store, memberships: readonly Membership[]): Promise<void> {
  for (let from = 0; from < memberships.length; from += batchSize) {
    const rows = memberships
      .slice(from, from + batchSize)
      .map(({ accountId, group, at }) => ({ account_id: accountId, name: group, added_at: at }));
    await store.insertInto('account_groups').values(rows).execute();
  }
}

/** False if the account was not in the group. */
export const removeFromGroup = (store: Store, { accountId, group }: Omit<Membership, 'at'>): Promise<boolean> =>
  hasRow(
    store.deleteFrom('account_groups').where('account_id', '=', accountId).where('name', '=', group).returning('name'),
  );

/** All groups that have members, with how many. */
export const listGroups = (store: Store) =>
  store
    .selectFrom('account_groups')
    .select(['name', ({ fn }) => fn.countAll<number>().as('members')])
    .groupBy('name')
    .orderBy('name')
    .execute();

export const membersOf = (store: Store, { group, max }: { group: string; max: number }) =>
  store
    .selectFrom('account_groups')
    .innerJoin('accounts', 'accounts.id', 'account_groups.account_id')
    .select(['accounts.id', 'accounts.email'])
    .where('account_groups.name', '=', group)
    .orderBy('accounts.email_key')
    .limit(max)
    .execute();
