import { textLimit } from '../contract/fields/field-sizes.ts';
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
import { describeAccount } from '../operations/describe-account.ts';
import { describeEnds, goingOn, type NextStep } from '../operations/going-on.ts';
import { recordSearch, recordView } from '../operations/people.ts';
import { counted } from '../server/doctor/finding.ts';
import { openKeys, openSecrets } from '../server/keys/stored-keys.ts';
import { accountParts } from '../server/wings.ts';
import { readAccountData } from '../store/accounts/delete-account.ts';
import { findAccounts } from '../store/accounts/find-accounts.ts';
import { deviceName } from '../store/browser-names.ts';
import { type AccountCommand, inColumns, operationOf, reasonOption, type StoreCommand, UsageError } from './command.ts';

const maxShown = 50;

const accountsFind: StoreCommand = {
  usage: 'accounts find TEXT',
  summary:
    'list accounts by the beginning of an address, a domain, words of a name, organization or device, or of a phone number, or by at least its last four digits',
  example: 'accounts find example.com',
  options: reasonOption,
  async run(given) {
    const { store, positionals } = given;
    const text = positionals.join(' ').trim();
    if (text === '' || text.length >= textLimit)
      throw new UsageError('accounts find TEXT: an address, a name, an organization, a device or a phone number');
    const found = await findAccounts(store, {
      ...{ text, filter: {}, wholeContacts: false, limit: maxShown + 1 },
      origin: new URL(given.config.PUBLIC_URL).origin,
    });
    await recordSearch(operationOf(given), found.accounts);
    const accounts = found.accounts.slice(0, maxShown).map(({ id, email, name, phone, created_at, locked_at }) => ({
      id,
      email,
      name,
      phone,
      created_at: iso(created_at),
      locked: locked_at !== null,
    }));
    const rows = accounts.map(({ id, email, name, phone, locked }) => [id, email, name, phone, locked ? 'locked' : '']);
    const more = found.accounts.length > maxShown;
    return {
      text: accounts.length === 0 ? `${text}: no such account` : `${inColumns(rows)}${more ? '\nand more' : ''}`,
      data: { accounts, more },
      failed: accounts.length === 0,
    };
  },
};

const accountsShow: AccountCommand = {
  usage: 'accounts show WHO|-',
  summary:
    'show an account by its address or id: locks, pending changes, second step, passkeys, groups, applications, consents, computers, sessions and recent activity',
  example: 'accounts show anna@example.com',
  options: reasonOption,
  async runOn(account, given) {
    const { store, now } = given;
    await recordView(operationOf(given), { account, action: 'account_viewed' });
    const data = await describeAccount({ store, parts: accountParts, account, now });
    const facts = Object.entries<unknown>(data).filter(
      ([, value]) => !Array.isArray(value) && value !== null && value !== '',
    );
    const lists = Object.entries<unknown>(data).filter((entry): entry is [string, Listed] => Array.isArray(entry[1]));
    return {
      text: [
        inColumns(facts.map(([name, value]) => [name.replaceAll('_', ' '), String(value)])),
        ...lists.map(([name, items]) => section(name, items)),
      ].join('\n'),
      data,
    };
  },
};

type Listed = readonly (string | Readonly<Record<string, unknown>>)[];

/** A list under its name, one item a line; an item that was never used says so. */
function section(name: string, items: Listed): string {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${items.length}`;
  const rows = items.map((item) => (typeof item === 'string' ? [item] : Object.entries(item).map(cellOf)));
  return [
    title,
    ...(rows.length > 0 ? [inColumns(rows.map(([first = '', ...rest]) => [`  ${first}`, ...rest]))] : []),
  ].join('\n');
}

const cellOf = ([name, value]: [string, unknown]): string => {
  if (name === 'last_used_at') return value === null ? 'never used' : `used ${value}`;
  if (typeof value === 'boolean') return value ? name : `not ${name}`;
  return Array.isArray(value) ? value.join(' ') : String(value ?? '');
};

const accountsWhy: AccountCommand = {
  usage: 'accounts why WHO|-',
  summary:
    'say what is going on with an account: whether its owner can sign in now, locks, pending changes, emails, limits, and why and when each session ended; WHO may also be a former address',
  example: 'accounts why anna@example.com',
  options: reasonOption,
  alsoFormer: true,
  async runOn(account, given) {
    const { store, config, now } = given;
    const { id, email } = account;
    await recordView(operationOf(given), { account, action: 'account_viewed' });
    const going = await goingOn({ store, config, account, now });
    const { sessions, activity } = await readAccountData(store, id);
    const ended = describeEnds({ sessions, activity, now });
    const live = sessions.length - ended.length;
    const changes = activity
      .filter(({ kind }) => kind.startsWith('email_change'))
      .map(({ at, kind, ip, user_agent }) => ({ at: iso(at), kind, ip, device: deviceName(user_agent) }));
    const lines = ended.flatMap(({ ended_at, device, ip, why, by }) => [
      `${ended_at}  ${device} (${ip}): ${why}`,
      ...by.map((line) => `    ${line.at}  ${line.kind}, ${line.device} (${line.ip || 'an operator'})`),
    ]);
    return {
      text: [
        ...going.flatMap(({ text, action }) => [
          text.replace(/\s+/g, ' '),
          ...(action ? [`    ${commandOf[action](id)}`] : []),
        ]),
        `${email}: ${live} live sessions, ${ended.length} ended`,
        ...changes.map(({ at, kind, ip, device }) => `${at}  ${kind}, ${device} (${ip || 'an operator'})`),
        ...lines,
      ].join('\n'),
      data: { id, going_on: going, live, ended, address_changes: changes },
    };
  },
};

const commandOf: Readonly<Record<NextStep, (id: string) => string>> = {
  unlock: (id) => `vestibule accounts unlock ${id}`,
  allow_address: (id) => `vestibule suppressed remove ${id}`,
  retry_emails: (id) => `vestibule outbox --account ${id}, then vestibule outbox retry ID`,
  end_sessions: (id) => `vestibule accounts end-sessions ${id}`,
  remove_second_step: (id) => `vestibule accounts second-step ${id} --remove --now --reason TEXT`,
};

const accountsLock: AccountCommand = {
  usage: 'accounts lock WHO|-',
  summary: 'block all sign-in methods of an account until it is unlocked, and end its sessions',
  example: 'accounts lock anna@example.com --reason "stolen laptop"',
  options: reasonOption,
  async runOn(account, given) {
    const ended = await lockAccount(operationOf(given), account);
    return {
      text: `${account.email}: locked, ${counted(Number(ended), 'session')} ended`,
      data: { id: account.id, locked: true, ended },
    };
  },
};

const accountsUnlock: AccountCommand = {
  usage: 'accounts unlock WHO|-',
  summary: 'unlock an account, whether an operator or wrong passwords locked it',
  example: 'accounts unlock anna@example.com',
  options: reasonOption,
  async runOn(account, given) {
    await unlockAccount(operationOf(given), account);
    return { text: `${account.email}: unlocked`, data: { id: account.id, locked: false } };
  },
};

const accountsEndSessions: AccountCommand = {
  usage: 'accounts end-sessions WHO|-',
  summary: 'sign an account out everywhere',
  example: 'accounts end-sessions anna@example.com',
  options: reasonOption,
  async runOn(account, given) {
    const ended = await endSessions(operationOf(given), account);
    return { text: `${account.email}: ${counted(Number(ended), 'session')} ended`, data: { id: account.id, ended } };
  },
};

const accountsDelete: AccountCommand = {
  usage: 'accounts delete WHO|- --yes',
  summary: 'delete an account and all data of its owner immediately and permanently, and notify the owner by email',
  example: 'accounts delete anna@example.com --yes --reason "request by email"',
  options: { yes: { type: 'boolean', help: 'confirm that nothing can be restored; required' }, ...reasonOption },
  async runOn(account, given) {
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
  },
};

const accountsExport: AccountCommand = {
  usage: 'accounts export WHO|-',
  summary: 'print everything stored about an account, as its owner can download it',
  example: 'accounts export anna@example.com > anna.json',
  options: reasonOption,
  async runOn(account, given) {
    const data = await exportAccount(operationOf(given), account);
    return { text: JSON.stringify(data, null, 2), line: JSON.stringify(data), data };
  },
};

const accountsRemovePasskey: AccountCommand = {
  usage: 'accounts remove-passkey WHO --id ID',
  summary: 'remove a passkey of an account by the id that `accounts show` lists, and notify the owner by email',
  example: 'accounts remove-passkey anna@example.com --id Zm9vYmFy',
  options: {
    id: { type: 'string', value: 'ID', help: 'the passkey, as accounts show lists it; required' },
    ...reasonOption,
  },
  async runOn(account, given) {
    const id = String(given.options.id ?? '');
    if (id === '') throw new UsageError('accounts remove-passkey WHO --id ID: `accounts show WHO` lists the ids');
    const passkey = await removePasskey(operationOf(given), { account, id });
    return passkey
      ? { text: `${account.email}: passkey ${passkey.name} removed`, data: { id: account.id, removed: true } }
      : { text: `${account.email}: no such passkey`, data: { id: account.id, removed: false }, failed: true };
  },
};

const accountsSecondStep: AccountCommand = {
  usage: 'accounts second-step WHO|- --remove --reason TEXT',
  summary:
    'remove a lost second step after SECOND_STEP_REMOVAL_HOURS, during which the owner can stop it; --now removes it immediately',
  example: 'accounts second-step anna@example.com --remove --reason "lost phone, ticket 4711"',
  options: {
    remove: { type: 'boolean', help: 'confirm the removal; required' },
    now: { type: 'boolean', help: 'remove it immediately, without the time to stop it' },
    ...reasonOption,
  },
  async runOn(account, given) {
    const { email, id } = account;
    const { config, options, store, now } = given;
    const immediately = options.now === true;
    const operation = operationOf(given);
    if (options.remove !== true || operation.operator.reason === undefined)
      throw new UsageError(`accounts second-step ${email} --remove --reason TEXT [--now]: give --remove and a reason`);
    const secrets = openSecrets(config);
    await openKeys(store, { config, now, secrets });
    const removesAt = await removeSecondStep(operation, { account, service: { config, secrets }, immediately });
    if (removesAt === undefined)
      return { text: `${email}: no second step`, data: { id, second_step: false }, failed: true };
    const text = immediately
      ? `${email}: second step removed`
      : `${email}: the second step will be removed at ${iso(removesAt)}; the owner got an email with a link that stops it`;
    return { text, data: { id, removed: immediately, removal_at: iso(removesAt) } };
  },
};

export const accountCommands = [
  accountsFind,
  accountsShow,
  accountsWhy,
  accountsLock,
  accountsUnlock,
  accountsEndSessions,
  accountsRemovePasskey,
  accountsSecondStep,
  accountsExport,
  accountsDelete,
];
