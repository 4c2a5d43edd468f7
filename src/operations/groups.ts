import { type AccountsTable, lockAccountRow } from '../store/accounts/accounts.ts';
import {
  addToGroup,
  groupName,
  groupsOf,
  listGroups,
  maxGroupsOfAccount,
  removeFromGroup,
} from '../store/applications/account-groups.ts';
import { clientsGrantedBy } from '../store/applications/clients.ts';
import { endGrantsNotAdmitted } from '../store/applications/end-grants.ts';
import type { Store } from '../store/database.ts';
import { audit, masked, type Operation } from './operation.ts';

interface Membership {
  readonly account: AccountsTable;
  readonly group: string;
}

/** Adds an account to a group; `full` if it already is in 100 groups, `misnamed` if no group has such a name. */
export const addAccountToGroup = (
  { store, ...operation }: Operation,
  { account, group }: Membership,
): Promise<'added' | 'there' | 'full' | 'misnamed'> =>
  store.transaction().execute(async (trx) => {
    if (!groupName.test(group)) return 'misnamed';
    // Another operator may add it to a group at the same time.
    await lockAccountRow(trx, account.id);
    const groups = await groupsOf(trx, account.id);
    if (groups.includes(group)) return 'there';
    if (groups.length >= maxGroupsOfAccount) return 'full';
    await addToGroup(trx, { accountId: account.id, group, at: operation.now });
    await audit(trx, operation, {
      action: 'group_added',
      accountId: account.id,
      subject: `${masked(account.email)}: ${group}`,
    });
    return 'added';
  });

/** Removes an account from a group, and ends the grants of clients that no longer admit it; false if it was not in it. */
export const removeAccountFromGroup = (
  { store, ...operation }: Operation,
  { account, group }: Membership,
): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    // A sign-in to an application that has found the group must finish first, or find it gone.
    await lockAccountRow(trx, account.id);
    if (!(await removeFromGroup(trx, { accountId: account.id, group }))) return false;
    for (const client of await clientsGrantedBy(trx, account.id))
      await endGrantsNotAdmitted(trx, { client, accountId: account.id, at: operation.now });
    await audit(trx, operation, {
      action: 'group_removed',
      accountId: account.id,
      subject: `${masked(account.email)}: ${group}`,
    });
    return true;
  });

/** The groups, each with how many members it has. */
export const groupsWithSizes = async (store: Store) =>
  (await listGroups(store)).map(({ name, members }) => ({ name, members: Number(members) }));
