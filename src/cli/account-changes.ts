import { iso } from '../contract/units.ts';
import {
  deleteAccount,
  endSessions,
  exportAccount,
  lockAccount,
  removePasskey,
  removeSecondStep,
  unlockAccount,
} from '../operations/accounts.ts';
import { counted } from '../server/doctor/finding.ts';
import { openKeys, openSecrets } from '../server/keys/stored-keys.ts';
import { withAccounts } from './accounts.ts';
import { type BulkCommand, operationOf, reasonOption, UsageError } from './command.ts';

const accountsLock: BulkCommand = {
  usage: 'accounts lock WHO|- [--reason TEXT]',
  summary: 'block all sign-in methods of an account until it is unlocked, and end its sessions',
  example: 'accounts lock anna@example.com --reason "stolen laptop"',
  options: reasonOption,
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts lock' }, async (account) => {
      const ended = await lockAccount(operationOf(given), account);
      return {
        text: `${account.email}: locked, ${counted(Number(ended), 'session')} ended`,
        data: { id: account.id, locked: true, ended },
      };
    }),
};

const accountsUnlock: BulkCommand = {
  usage: 'accounts unlock WHO|- [--reason TEXT]',
  summary: 'unlock an account, whether an operator or wrong passwords locked it',
  example: 'accounts unlock anna@example.com',
  options: reasonOption,
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts unlock' }, async (account) => {
      await unlockAccount(operationOf(given), account);
      return { text: `${account.email}: unlocked`, data: { id: account.id, locked: false } };
    }),
};

const accountsEndSessions: BulkCommand = {
  usage: 'accounts end-sessions WHO|- [--reason TEXT]',
  summary: 'sign an account out everywhere',
  example: 'accounts end-sessions anna@example.com',
  options: reasonOption,
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts end-sessions' }, async (account) => {
      const ended = await endSessions(operationOf(given), account);
      return { text: `${account.email}: ${counted(Number(ended), 'session')} ended`, data: { id: account.id, ended } };
    }),
};

const accountsDelete: BulkCommand = {
  usage: 'accounts delete WHO|- --yes [--reason TEXT]',
  summary: 'delete an account and all data of its owner immediately and permanently, and notify the owner by email',
  example: 'accounts delete anna@example.com --yes --reason "request by email"',
  options: { yes: { type: 'boolean', help: 'confirm that nothing can be restored; required' }, ...reasonOption },
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts delete' }, async (account) => {
      const { id, email } = account;
      if (given.options.yes !== true)
        throw new UsageError(`accounts delete ${email}: this cannot be undone; to confirm, add --yes`);
      const deleted = await deleteAccount(operationOf(given), account);
      return deleted
        ? { text: `${email}: deleted`, data: { id, deleted } }
        : {
            text: `${email}: the last owner of the service, which needs one: vestibule operators invite EMAIL --role owner`,
            data: { id, deleted },
            failed: true,
          };
    }),
};

const accountsExport: BulkCommand = {
  usage: 'accounts export WHO|- [--reason TEXT]',
  summary: 'print everything stored about an account, as its owner can download it',
  example: 'accounts export anna@example.com > anna.json',
  options: reasonOption,
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts export' }, async (account) => {
      const data = await exportAccount(operationOf(given), account);
      return { text: JSON.stringify(data, null, 2), line: JSON.stringify(data), data };
    }),
};

const accountsRemovePasskey: BulkCommand = {
  usage: 'accounts remove-passkey WHO --id ID [--reason TEXT]',
  summary: 'remove a passkey of an account by the id that `accounts show` lists, and notify the owner by email',
  example: 'accounts remove-passkey anna@example.com --id Zm9vYmFy',
  options: {
    id: { type: 'string', value: 'ID', help: 'the passkey, as accounts show lists it; required' },
    ...reasonOption,
  },
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts remove-passkey' }, async (account) => {
      const id = String(given.options.id ?? '');
      if (id === '') throw new UsageError('accounts remove-passkey WHO --id ID: `accounts show WHO` lists the ids');
      const passkey = await removePasskey(operationOf(given), { account, id });
      return passkey
        ? { text: `${account.email}: passkey ${passkey.name} removed`, data: { id: account.id, removed: true } }
        : { text: `${account.email}: no such passkey`, data: { id: account.id, removed: false }, failed: true };
    }),
};

const accountsSecondStep: BulkCommand = {
  usage: 'accounts second-step WHO|- --remove --reason TEXT [--now]',
  summary:
    'remove a lost second step after SECOND_STEP_REMOVAL_HOURS, during which the owner can stop it; --now removes it immediately',
  example: 'accounts second-step anna@example.com --remove --reason "lost phone, ticket 4711"',
  options: {
    remove: { type: 'boolean', help: 'confirm the removal; required' },
    now: { type: 'boolean', help: 'remove it immediately, without the time to stop it' },
    ...reasonOption,
  },
  runBulk: (given) =>
    withAccounts({ ...given, command: 'accounts second-step' }, async (account) => {
      const { email, id } = account;
      const { config, options, store, now } = given;
      const immediately = options.now === true;
      const operation = operationOf(given);
      if (options.remove !== true || operation.operator.reason === undefined)
        throw new UsageError(
          `accounts second-step ${email} --remove --reason TEXT [--now]: give --remove and a reason`,
        );
      const secrets = openSecrets(config);
      await openKeys(store, { config, now, secrets });
      const removesAt = await removeSecondStep(operation, { account, service: { config, secrets }, immediately });
      if (removesAt === undefined)
        return { text: `${email}: no second step`, data: { id, second_step: false }, failed: true };
      const text = immediately
        ? `${email}: second step removed`
        : `${email}: the second step will be removed at ${iso(removesAt)}; the owner got an email with a link that stops it`;
      return { text, data: { id, removed: immediately, removal_at: iso(removesAt) } };
    }),
};

export const accountChanges = [
  accountsLock,
  accountsUnlock,
  accountsEndSessions,
  accountsRemovePasskey,
  accountsSecondStep,
  accountsExport,
  accountsDelete,
];
