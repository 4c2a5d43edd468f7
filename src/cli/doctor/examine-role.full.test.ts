import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, type Store } from '../../store/database.ts';
import { runCommand } from '../../testing/command-line.ts';
import { freshDatabase, migratedDatabase, withLongTimeouts, withPostgres } from '../../testing/databases/databases.ts';

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
    /role_\S+ does not own the table accounts: reassign its tables to it/,
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
