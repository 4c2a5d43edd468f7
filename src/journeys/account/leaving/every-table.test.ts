import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { accountParts } from '../../../server/wings.ts';
import { credentialTables } from '../../../store/access/sessions.ts';
import { deletions } from '../../../store/accounts/delete-account.ts';
import { type Engine, engineOf, type Store } from '../../../store/database.ts';
import { engines, freshStore } from '../../../testing/databases/databases.ts';
import { exportWith } from './export-account.contract.ts';

/** Tables whose rows an export has under another name. */
const namesInExport: Readonly<Record<string, string>> = {
  account: 'accounts',
  connected_apps: 'connected_clients',
  emails: 'outbox',
  groups: 'account_groups',
  notes: 'operator_notes',
};

/** Tables about an account that its export leaves out, and why. */
const notExported: Readonly<Record<string, string>> = {
  audit_log: 'names operators and their reasons; what they did to the account is in its activity',
  client_grants: 'what applications may do since one sign-in; the connected applications are exported',
  email_changes: 'seven days of addresses, which the emails name as well',
  enrolments: 'hashes of codes that are valid for minutes',
  authenticators: 'sealed secrets; `account` says since when sign-ins need a second step',
  error_references: 'numbers of error pages of the last 30 days, which say nothing about their reader',
  mail_codes: 'hashes of codes that are valid for minutes',
  operator_invitations: 'hashes of links that are valid for 30 minutes',
  operators: 'what the owner may do for others, who operate this service; the audit log has it',
  passkey_challenges: 'hashes of challenges that are valid for minutes',
  passkey_users: 'a random number that says nothing about its owner',
  pending_authenticators: 'sealed secrets that are valid for minutes',
  pending_sign_ins: 'hashes of cookies that are valid for minutes',
  phone_calls: 'no row says whose call it was',
  record_counts: 'numbers of the records of two days, which limit them',
  recovery_codes: 'hashes of codes; the account page counts them',
  reset_links: 'hashes of links that are valid for an hour',
  single_use_results: 'sealed results that are valid for a minute',
  search_changes: 'says which accounts have changed in the last seconds',
  search_keys: 'parts of what the account says, by which operators find it',
  second_step_removals: '`account` says when the removal takes effect',
  telegram_links: 'hashes of links that are valid for minutes',
  unreachable_addresses: 'the account says since when its address is unreachable',
  webhook_deliveries: 'copies of the account and of its activity, for other applications of the operator',
};

/** Columns of the account itself that its export leaves out: a hash, and what follows from the address or a request. */
const columnsNotExported = ['password_hash', 'email_key', 'registration_attempt'];

/** Tables with a session that are not credentials of the account, so that an undone change of address keeps them. */
const noCredentials: Readonly<Record<string, string>> = {
  client_grants: 'an undone change ends all grants of the account',
  passkey_challenges: 'only their session can use them, and an undone change ends it',
  pending_authenticators: 'only their session can confirm them, and an undone change ends it',
  push_subscriptions: 'an undone change removes those of every session',
};

/** Columns that name an account, or the person behind one. */
const namesAccount = /account|^(email|email_key|recipient|phone)$/;

/** On PostgreSQL, each partition of a table has its foreign keys; a new database has only this one. */
const partition = /_default$/;

/** Tables whose rows disappear with a row of another table, as `referring → referred`. */
async function cascadesOf(store: Store): Promise<Set<string>> {
  const foreignKeys: Record<Engine, ReturnType<typeof sql<{ referring: string; referred: string }>>> = {
    sqlite: sql`
      select tables.name as referring, keys."table" as referred
      from sqlite_schema as tables, pragma_foreign_key_list(tables.name) as keys
      where tables.type = 'table' and keys.on_delete = 'CASCADE'`,
    postgres: sql`
      select conrelid::regclass::text as referring, confrelid::regclass::text as referred
      from pg_constraint where contype = 'f' and confdeltype = 'c'`,
  };
  const { rows } = await foreignKeys[engineOf(store)].execute(store);
  return new Set(rows.map(({ referring, referred }) => `${referring.replace(partition, '')} → ${referred}`));
}

describe.each(engines)('each table about an account, on %s,', async (engine) => {
  const store = await freshStore(engine);
  const tables = await store.introspection.getTables();
  const cascades = await cascadesOf(store);
  const about = tables
    .filter(({ name }) => name !== 'accounts' && !partition.test(name))
    .filter(({ columns }) => columns.some((column) => namesAccount.test(column.name)))
    .map(({ name }) => name);

  test('is found', () => {
    expect(about.length).toBeGreaterThan(10);
    expect(about).toEqual(expect.arrayContaining(['sessions', 'outbox', 'records', 'mail_codes']));
  });

  test('is deleted with the account', () => {
    const kept = about.filter((table) => !cascades.has(`${table} → accounts`) && !Object.hasOwn(deletions, table));
    const advice =
      'Let account_id reference accounts (id) on delete cascade, or add the table to `deletions` in store/accounts/delete-account.ts.';
    expect(kept, `These tables keep rows of a deleted account. ${advice}`).toEqual([]);
  });

  test('is exported, unless there is a reason not to', () => {
    const exported = Object.keys(exportWith(accountParts).response.shape).map((name) => namesInExport[name] ?? name);
    const missing = about.filter((table) => !exported.includes(table) && !Object.hasOwn(notExported, table));
    const advice =
      'Add the table to store/accounts/delete-account.ts and to the export (export-account.contract.ts and export-account.ts in journeys/account/leaving/, or devices/account-part.ts), or to `notExported` here with the reason.';
    expect(missing, `The export of an account leaves out these tables. ${advice}`).toEqual([]);
    const idle = Object.keys(notExported).filter((table) => !about.includes(table) || exported.includes(table));
    expect(idle, 'These tables need no exemption from the export: delete them from `notExported`.').toEqual([]);
  });

  test('goes with the columns of the account, each of which is exported unless there is a reason not to', () => {
    const columns = tables.find(({ name }) => name === 'accounts')?.columns.map(({ name }) => name) ?? [];
    const exported = Object.keys(exportWith(accountParts).response.shape.account.shape);
    const advice = 'Add the column to export-account.contract.ts, or to `columnsNotExported` here.';
    const missing = columns.filter((name) => !exported.includes(name));
    expect(missing.toSorted(), `The export of an account leaves out columns. ${advice}`).toEqual(
      columnsNotExported.toSorted(),
    );
  });

  test('that names a session is a credential that an undone change of address may remove, or is exempt', () => {
    const credentials: readonly string[] = credentialTables;
    const named = tables
      .filter(({ columns }) => ['account_id', 'session_id'].every((name) => columns.some((one) => one.name === name)))
      .map(({ name }) => name);
    const advice = 'Add the table to `credentialTables` in store/access/sessions.ts, or to `noCredentials` here.';
    const unknown = named.filter((name) => !credentials.includes(name) && !Object.hasOwn(noCredentials, name));
    expect(unknown, `A thief keeps the credentials of these tables. ${advice}`).toEqual([]);
    expect(Object.keys(noCredentials).filter((name) => !named.includes(name))).toEqual([]);
  });
});
