import { addAccountToGroup, removeAccountFromGroup } from '../operations/groups.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import { groupName, groupsOf, listGroups, membersOf } from '../store/applications/account-groups.ts';
import { type AccountCommand, inColumns, operationOf, reasonOption, type StoreCommand, UsageError } from './command.ts';

const maxMembersShown = 1000;

const membership = 'an address or account id, and a group';

function groupIn([, group = '']: readonly string[]): string {
  if (groupName.test(group)) return group;
  throw new UsageError('a group has 1 to 64 ASCII letters, digits and . _ : @ / - and begins with a letter or digit');
}

const groupsAdd: AccountCommand = {
  usage: 'groups add WHO|- GROUP',
  summary: 'add an account to a group, for applications that admit groups or show them',
  example: 'groups add anna@example.com editors',
  words: membership,
  options: reasonOption,
  async runOn(account, given) {
    const group = groupIn(given.positionals);
    const outcome = await addAccountToGroup(operationOf(given), { account, group });
    const text = {
      added: 'added to',
      there: 'already is in',
      full: 'is in too many groups for',
      misnamed: 'cannot be in',
    }[outcome];
    return {
      text: `${account.email}: ${text} ${group}`,
      data: { id: account.id, group, added: outcome === 'added' },
      failed: outcome === 'full' || outcome === 'misnamed',
    };
  },
};

const groupsRemove: AccountCommand = {
  usage: 'groups remove WHO|- GROUP',
  summary: 'remove an account from a group',
  example: 'groups remove anna@example.com editors',
  words: membership,
  options: reasonOption,
  async runOn(account, given) {
    const group = groupIn(given.positionals);
    const removed = await removeAccountFromGroup(operationOf(given), { account, group });
    return {
      text: `${account.email}: ${removed ? 'removed from' : 'was not in'} ${group}`,
      data: { id: account.id, group, removed },
      failed: !removed,
    };
  },
};

const groupsList: StoreCommand = {
  usage: 'groups list [WHO|GROUP]',
  summary: 'list the groups with their sizes, the groups of an account, or the members of a group',
  example: 'groups list editors',
  async run({ store, positionals }) {
    const [named, ...more] = positionals;
    if (more.length > 0) throw new UsageError('groups list [WHO|GROUP]: at most one address, account id or group');
    if (named === undefined) {
      const groups = await listGroups(store);
      const rows = groups.map(({ name, members }) => [name, String(members)]);
      return { text: inColumns(rows) || 'There are no groups.', data: { groups } };
    }
    const account = await accountByAddressOrId(store, named);
    if (account) {
      const groups = await groupsOf(store, account.id);
      return { text: groups.join('\n') || `${account.email}: in no group`, data: { id: account.id, groups } };
    }
    const found = await membersOf(store, { group: named, max: maxMembersShown + 1 });
    const members = found.slice(0, maxMembersShown);
    const rest = found.length > maxMembersShown;
    return {
      text:
        members.length === 0
          ? `${named}: no such account, and no group with members`
          : `${inColumns(members.map(({ id, email }) => [id, email]))}${rest ? '\nand more' : ''}`,
      data: { group: named, members, more: rest },
      failed: members.length === 0,
    };
  },
};

export const groupCommands = [groupsAdd, groupsRemove, groupsList];
