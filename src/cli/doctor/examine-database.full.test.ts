import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { days } from '../../contract/units.ts';
import { outdatedOfDevices } from '../../devices/account-part.ts';
import { cleanUp } from '../../store/clean-up.ts';
import { openStore, type Store } from '../../store/database.ts';
import { openClient } from '../../testing/client.ts';
import { runCommand } from '../../testing/command-line.ts';
import {
  engines,
  freshDatabase,
  migratedDatabase,
  withLongTimeouts,
  withPostgres,
} from '../../testing/databases/databases.ts';
import { form } from '../../testing/people.ts';
import { openTestNode } from '../../testing/test-node.ts';

const onPostgres = test.runIf(withPostgres);

/** A database that an administrator has prepared, and the output of a command with the URL of a role without rights. */
async function preparedBy(prepare: (administrator: Store, role: string) => Promise<unknown>, isMigrated = false) {
  const database = await (isMigrated ? migratedDatabase : freshDatabase)('postgres');
  const administrator = openStore(database, withLongTimeouts);
  const url = new URL(database.databaseUrl ?? '');
  const role = `role_${url.pathname.slice(1)}`;
  await sql`create role ${sql.ref(role)} login password 'secret'`.execute(administrator);
  onTestFinished(async () => {
    await sql`drop owned by ${sql.ref(role)}`.execute(administrator);
    await sql`drop role ${sql.ref(role)}`.execute(administrator);
    await administrator.destroy();
  });
  await prepare(administrator, role);
  [url.username, url.password] = [role, 'secret'];
  const settings = { DATA_DIR: database.dataDir, DATABASE_URL: url.href, PHONE_CONFIRMATION: 'off' };
  return (...words: string[]) => runCommand(words, { folder: database.dataDir, settings });
}

const alter = (role: string, setting: string) => sql`alter role ${sql.ref(role)} set ${sql.raw(setting)}`;
const own = (role: string) => sql`grant all on schema public to ${sql.ref(role)}`;

onPostgres.each<[string, boolean, (administrator: Store, role: string) => Promise<unknown>, RegExp, RegExp]>([
  [
    'may not create tables',
    false,
    () => Promise.resolve(),
    /role_\S+ may not create tables in the schema public: make it the owner/,
    /^DATABASE_URL: PostgreSQL cannot be used: permission denied for schema public\n$/,
  ],
  [
    'has no schema',
    false,
    (administrator, role) => alter(role, 'search_path = nowhere').execute(administrator),
    /no schema in the search_path of role_\S+ exists/,
    /^DATABASE_URL: PostgreSQL cannot be used: no schema has been selected to create in\n$/,
  ],
  [
    'is read-only',
    false,
    async (administrator, role) => {
      await own(role).execute(administrator);
      await alter(role, 'default_transaction_read_only = on').execute(administrator);
    },
    /default_transaction_read_only is on for role_\S+: it cannot write/,
    /^DATABASE_URL: PostgreSQL cannot be used: cannot execute CREATE TABLE in a read-only transaction\n$/,
  ],
  [
    'does not own the tables',
    true,
    async (administrator, role) => {
      await own(role).execute(administrator);
      await sql`grant select on all tables in schema public to ${sql.ref(role)}`.execute(administrator);
    },
    /role_\S+ does not own the table accounts, and may not change the rows of account_groups: reassign the tables/,
    /^(?!.* at )(?:DATABASE_URL: PostgreSQL cannot be used: )?(?:permission denied|must be owner)[^\n]*\n$/,
  ],
])(
  'if the role %s, the doctor and every other command say so in one line',
  async (_, isMigrated, prepare, expected, err) => {
    const run = await preparedBy(prepare, isMigrated);
    const checked = await run('doctor', '--quick');
    expect(checked.out).toMatch(new RegExp(`^FAILED {3}database +${expected.source}`, 'm'));
    expect(checked.code).toBe(1);
    const used = await run('promo', 'add', 'WELCOME');
    expect([used.code > 0, used.err]).toEqual([true, expect.stringMatching(err)]);
  },
);

onPostgres('a role with its own format of dates and a higher isolation level can migrate, and passes', async () => {
  const run = await preparedBy(async (administrator, role) => {
    await own(role).execute(administrator);
    await alter(role, "datestyle = 'SQL, DMY'").execute(administrator);
    await alter(role, "default_transaction_isolation = 'repeatable read'").execute(administrator);
  });
  expect(await run('migrate')).toMatchObject({ code: 0, err: '' });
  const { out, code } = await run('doctor', '--quick');
  expect(out).toMatch(/^ok {7}clock +\S+, 0 s off the clock of the database$/m);
  expect(code).toBe(0);
});

onPostgres('a database that is not in UTF-8 is refused before its first table, and the doctor says so', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const administrator = openStore({ dataDir, databaseUrl }, withLongTimeouts);
  const url = new URL(databaseUrl);
  const name = `${url.pathname.slice(1)}_latin`;
  await sql`create database ${sql.ref(name)} template template0 encoding 'LATIN1' locale 'C'`.execute(administrator);
  onTestFinished(async () => {
    await sql`drop database ${sql.ref(name)} with (force)`.execute(administrator);
    await administrator.destroy();
  });
  url.pathname = `/${name}`;
  const settings = { DATA_DIR: dataDir, DATABASE_URL: url.href, PHONE_CONFIRMATION: 'off' };
  const says = 'the database is in LATIN1: create it with createdb --encoding=UTF8 --template=template0';
  expect(await runCommand(['migrate'], { folder: dataDir, settings })).toMatchObject({
    code: 2,
    err: `DATABASE_URL: ${says}\n`,
  });
  expect((await runCommand(['doctor', '--quick'], { folder: dataDir, settings })).out).toContain(says);
});

onPostgres('a role that may only change data runs the service, once the owner of the tables has migrated', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const url = new URL(databaseUrl);
  const name = url.pathname.slice(1);
  const [owner, role] = [`owner_${name}`, `role_${name}`];
  const administrator = openStore({ dataDir, databaseUrl }, withLongTimeouts);
  const [, documented = ''] =
    /```sql\n(create role vestibule_owner[^`]+)```/.exec(readFileSync('docs/postgresql.md', 'utf8')) ?? [];
  onTestFinished(async () => {
    for (const one of [role, owner]) {
      await sql`reassign owned by ${sql.ref(one)} to current_user`.execute(administrator);
      await sql`drop owned by ${sql.ref(one)} cascade`.execute(administrator);
      await sql`drop role ${sql.ref(one)}`.execute(administrator);
    }
    await administrator.destroy();
  });
  await sql`create role ${sql.ref(role)} login password 'PASSWORD'`.execute(administrator);
  await sql`alter database ${sql.ref(name)} owner to ${sql.ref(role)}`.execute(administrator);
  for (const statement of documented.split(/;.*\n/).filter(Boolean))
    await sql
      .raw(statement.replaceAll('vestibule_owner', owner).replaceAll(/\bvestibule\b/g, role))
      .execute(administrator);
  const settingsOf = (user: string) => {
    [url.username, url.password] = [user, 'PASSWORD'];
    return { DATA_DIR: dataDir, DATABASE_URL: url.href, PHONE_CONFIRMATION: 'off', SECRET_KEY: 'x'.repeat(32) };
  };
  const run = (user: string, ...words: string[]) => runCommand(words, { folder: dataDir, settings: settingsOf(user) });
  expect((await run(role, 'doctor', '--quick')).out).toMatch(/^FAILED {3}database +role_\S+ may not create tables/m);
  expect(await run(owner, 'migrate')).toMatchObject({ code: 0, err: '' });

  const node = await openTestNode({
    database: { dataDir, databaseUrl: settingsOf(role).DATABASE_URL },
    settings: { SECRET_KEY: 'x'.repeat(32) },
    clock: { offset: 0 },
    ...withLongTimeouts,
  });
  const browser = openClient(node.url);
  expect(await browser.post('/auth/register', form())).toSay('201');
  expect((await browser.get('/readyz')).status).toBe(200);
  await cleanUp(node.store, { now: node.now() + days(400), activityKept: 0, others: [] });
  await node.close();
  const { out } = await run(role, 'doctor', '--quick');
  expect(out).toMatch(/^ok {7}database +postgres, tables up to date/m);
  expect(out).toMatch(/^ok {7}partitions +none is missing/m);

  // As a database of the days before the first release.
  await sql`insert into kysely_migration (name, timestamp) values ('0033-added-by', '')`.execute(administrator);
  expect((await run(role, 'doctor', '--quick')).out).toMatch(
    /^FAILED {3}database +\d+ pending migrations, which role_\S+ may not run: run vestibule migrate/m,
  );
  expect(await run(role, 'migrate')).toMatchObject({ code: 2, err: expect.stringMatching(/permission denied/) });
});

onPostgres('the documented change of the password of the database keeps the old one until the end', async () => {
  const { databaseUrl = '', dataDir } = await migratedDatabase('postgres');
  const administrator = openStore({ dataDir, databaseUrl }, withLongTimeouts);
  const name = new URL(databaseUrl).pathname.slice(1);
  const [owner, next] = [`owner_${name}`, `next_${name}`];
  await sql`create role ${sql.ref(owner)} login password 'OLD'`.execute(administrator);
  for (const { tablename } of (
    await sql<{ tablename: string }>`select tablename from pg_tables where schemaname = 'public'`.execute(administrator)
  ).rows)
    await sql`alter table ${sql.ref(tablename)} owner to ${sql.ref(owner)}`.execute(administrator);
  await own(owner).execute(administrator);
  onTestFinished(async () => {
    await sql`reassign owned by ${sql.ref(owner)} to current_user`.execute(administrator);
    await sql`drop owned by ${sql.ref(owner)}`.execute(administrator);
    await sql`drop role ${sql.ref(next)}, ${sql.ref(owner)}`.execute(administrator);
    await administrator.destroy();
  });
  const section = readFileSync('docs/run.md', 'utf8').split('**To change the password of the database**')[1] ?? '';
  const [first = '', second = '', last = ''] = [...section.matchAll(/^psql --command=(["'])(.*?)\1/gm)].map(
    ([, , text = '']) => text.replaceAll('vestibule_next', next).replaceAll(/\bvestibule\b/g, owner),
  );
  const signedIn = async (user: string, password: string) => {
    const url = new URL(databaseUrl);
    [url.username, url.password] = [user, password];
    const { code, err } = await runCommand(['migrate'], {
      folder: dataDir,
      settings: { DATA_DIR: dataDir, DATABASE_URL: url.href, PHONE_CONFIRMATION: 'off' },
    });
    if (code !== 0) return err;
    const store = openStore({ dataDir, databaseUrl: url.href }, withLongTimeouts);
    const { rows } = await sql<{
      acts: string;
    }>`select current_user as acts from accounts right join (select 1) as one on true`.execute(store);
    await store.destroy();
    return rows[0]?.acts;
  };
  await sql.raw(first).execute(administrator);
  await sql.raw(second).execute(administrator);
  expect([await signedIn(owner, 'OLD'), await signedIn(next, 'NEW')]).toEqual([owner, owner]);
  await sql.raw(last).execute(administrator);
  expect(await signedIn(next, 'NEW')).toBe(owner);
  const { rows } = await sql`select rolpassword from pg_authid where rolname = ${owner}`.execute(administrator);
  expect(rows).toEqual([{ rolpassword: null }]);
});

/** Runs commands on a migrated database that has been changed. */
async function changed(engine: (typeof engines)[number], change: (store: Store) => Promise<unknown>) {
  const { dataDir, databaseUrl } = await migratedDatabase(engine);
  const store = openStore({ dataDir, databaseUrl }, withLongTimeouts);
  await change(store);
  await store.destroy();
  const settings = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PHONE_CONFIRMATION: 'off' };
  return (...words: string[]) => runCommand(words, { folder: dataDir, settings });
}

onPostgres.each([
  ['a reference', 'alter table sessions drop constraint sessions_account_id_fkey', 'sessions.account_id > accounts'],
  ['a primary key', 'alter table audit_log drop constraint audit_log_pkey', 'audit_log(id)'],
  ['a unique index', 'alter table accounts drop constraint accounts_email_key_key', 'accounts(email_key)'],
])('doctor names %s that an incomplete restore left out', async (_what, statement, name) => {
  const run = await changed('postgres', (store) => sql.raw(statement).execute(store));
  const { code, out } = await run('doctor');
  expect(code).toBe(1);
  expect(out).toMatch(/^FAILED +database +.*as after an incomplete restore/m);
  expect(out).toContain(`lack ${name}, as`);
});

onPostgres('doctor accepts the tables of this version, and reports a month without a partition', async () => {
  const longAgo = Date.UTC(2020, 8, 23);
  const run = await changed('postgres', (store) =>
    cleanUp(store, {
      now: longAgo,
      activityKept: days(9999),
      others: outdatedOfDevices({ now: longAgo, recordsKept: days(9999) }),
    }),
  );
  const { out } = await run('doctor');
  expect(out).toMatch(/^ok +database +postgres, tables up to date/m);
  expect(out).toMatch(
    /^FAILED +partitions +activity_\d{4}_\d\d, notifications_\d{4}_\d\d, records_\d{4}_\d\d missing/m,
  );
  const fresh = await changed('postgres', () => Promise.resolve());
  expect((await fresh('doctor')).out).toMatch(/^ok +partitions +none is missing/m);
});

test.each(engines)('tables without a record of migrations are refused in one line, on %s', async (engine) => {
  const run = await changed(engine, (store) => sql`delete from kysely_migration`.execute(store));
  const why = /has a table accounts, but no record of migrations, as after an incomplete restore/;
  const { code, out } = await run('doctor', '--quick');
  expect([code, out]).toEqual([1, expect.stringMatching(why)]);
  for (const words of [['migrate'], ['migrate', '--check'], ['accounts', 'find', 'anna']]) {
    const { code: refused, err } = await run(...words);
    expect([refused, err]).toEqual([2, expect.stringMatching(why)]);
    expect(err.trim().split('\n')).toHaveLength(1);
  }
});
