import { copyFileSync, existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../store/database.ts';
import { databaseFile } from '../../store/sqlite/files.ts';
import { addAuthenticator, authenticatorWith } from '../../testing/authenticator.ts';
import { type Client, openClient } from '../../testing/client.ts';
import { runCommandProcess } from '../../testing/command-line.ts';
import { freshDatabase, migratedDatabase, type TestDatabase, withPostgres } from '../../testing/databases/databases.ts';
import { contentsOf } from '../../testing/folders.ts';
import { eventually } from '../../testing/outbox.ts';
import { addComputer, password, register, registerProven } from '../../testing/people.ts';
import { startProcess } from '../../testing/process.ts';
import { openTestNode } from '../../testing/test-node.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const secret = 'a secret of the operator that is long enough';

const settingsOf = ({ dataDir, databaseUrl }: TestDatabase) => ({
  DATA_DIR: dataDir,
  DATABASE_URL: databaseUrl,
  PHONE_CONFIRMATION: 'off',
  ...(databaseUrl && { SECRET_KEY: secret }),
});

const run = (words: readonly string[], database: TestDatabase) =>
  runCommandProcess(words, { folder: database.dataDir, settings: settingsOf(database) });

/** A service in use: an account with a session, a computer with a record, emails and counts. */
async function livedIn(settings: Record<string, string> = {}) {
  const server = await openTestServer('sqlite', settings);
  const { email, browser } = await registerProven(server, { name: 'Zoë “Ω” O’Brien\\ – بهار' });
  const app = await addAuthenticator(server, browser);
  const { computer } = await addComputer(server, browser, 'Büro 😀');
  const report = { id: 'r1', at: new Date(server.now()).toISOString(), kind: 'start', text: 'It runs.' };
  expect((await computer.send('POST', '/computers/records', { body: { records: [report] } })).status).toBeLessThan(300);
  await openClient(server.url).post('/auth/recovery', { email });
  const counts = Array.from({ length: 2500 }, (_, at) => ({ id: `counted-${at}`, key: 'k', at, units: 1 }));
  for (let at = 0; at < counts.length; at += 100)
    await server.store
      .insertInto('limit_hits')
      .values(counts.slice(at, at + 100))
      .execute();
  await allSent(server);
  return { server, email, browser, computer, app };
}

const allSent = ({ store }: TestServer) =>
  eventually(async () => {
    expect(await store.selectFrom('outbox').select('notice').where('sent_at', 'is', null).execute()).toEqual([]);
  });

async function backedUp({ config: { DATA_DIR } }: TestServer): Promise<string> {
  const file = join(DATA_DIR, 'kept.backup');
  expect(await run(['backup', file], { dataDir: DATA_DIR })).toMatchObject({ code: 0, err: '' });
  return file;
}

const withoutSecrets = { secret: '', recovery_key: '' };

/** Every row of every table, without the sealed secrets, which differ. */
async function rowsOf(store: Store): Promise<Record<string, readonly string[]>> {
  const tables = await store.introspection.getTables();
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const read = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(store);
      return [name, read.rows.map((row) => JSON.stringify(sorted({ ...row, ...withoutSecrets }))).toSorted()] as const;
    }),
  );
  // The tables of PostgreSQL contain the rows of their partitions.
  return Object.fromEntries(rows.filter(([name]) => name !== 'oldest_code' && !name.endsWith('_default')));
}

const sorted = (row: object) =>
  Object.fromEntries(Object.entries(row).toSorted(([one], [other]) => one.localeCompare(other)));

function carry({ cookies }: Client, url: string): Client {
  const moved = openClient(url);
  for (const [name, value] of cookies) moved.cookies.set(name, value);
  return moved;
}

describe.runIf(withPostgres)('a backup that is restored into PostgreSQL', () => {
  test('contains everything: sessions, computers, emails and passwords continue to work', async () => {
    const { server, email, browser, computer, app } = await livedIn();
    const begun = authenticatorWith(server, (await browser.post('/account/authenticator')).body.secret);
    const before = await rowsOf(server.store);
    const file = await backedUp(server);
    await server.close();
    const database = await freshDatabase('postgres');
    const { code, out, err } = await run(['restore', file], database);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: expect.stringMatching(/^PostgreSQL: 1 account as of 20/),
      err: '',
    });
    const node = await openTestNode({ database, settings: { SECRET_KEY: secret }, clock: { offset: 0 } });
    try {
      const restored = expect.stringContaining('"action":"database_restored"');
      // The accounts that were copied are also new to searches.
      const noted = expect.arrayContaining([...(before.search_changes ?? [])]);
      expect(await rowsOf(node.store)).toEqual({ ...before, audit_log: [restored], search_changes: noted });
      const restoredBrowser = carry(browser, node.url);
      expect(await restoredBrowser.post('/auth/refresh')).toSay('200');
      const codes = [{ code: app.code(1) }, { recovery_code: app.recoveryCodes[0] }];
      for (const second of codes) {
        const elsewhere = openClient(node.url);
        const first = await elsewhere.post('/auth/login', { email, password });
        expect(first).toSay('401 second_step_required');
        expect(await elsewhere.post('/auth/second-step', second)).toSay('200');
      }
      const moved = Object.assign(openClient(node.url), { token: computer.token });
      expect((await moved.send('POST', '/computers/heartbeat', { body: {} })).status).toBeLessThan(300);
      const confirmed = await restoredBrowser.post('/account/authenticator/confirm', { code: begun.code() });
      expect(confirmed).toSay('200');
    } finally {
      await node.close();
    }
  });

  test('replaces data that a node left in the empty database', async () => {
    const { server, browser } = await livedIn();
    const file = await backedUp(server);
    const database = await freshDatabase('postgres');
    const tried = await openTestNode({ database, settings: { SECRET_KEY: secret }, clock: { offset: 0 } });
    await tried.close();
    expect(await run(['restore', file], database)).toMatchObject({ code: 0, err: '' });
    const node = await openTestNode({ database, settings: { SECRET_KEY: secret }, clock: { offset: 0 } });
    expect(await carry(browser, node.url).post('/auth/refresh')).toSay('200');
    await node.close();
  });

  test('changes nothing if the database already contains accounts', async () => {
    const { server } = await livedIn();
    const file = await backedUp(server);
    const other = await openTestServer('postgres', { SECRET_KEY: secret });
    await register(other);
    await allSent(other);
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl = '' } = other.config;
    const before = [await rowsOf(other.store), contentsOf(dataDir)];
    expect(await run(['restore', file], { dataDir, databaseUrl })).toMatchObject({
      code: 2,
      err: 'DATABASE_URL: this database already contains accounts; restore into an empty one\n',
    });
    expect([await rowsOf(other.store), contentsOf(dataDir)]).toEqual(before);
  });

  test('is refused if its keys were sealed with another SECRET_KEY', async () => {
    const { server } = await livedIn({ SECRET_KEY: 'another secret of the operator, long enough, too' });
    const { DATA_DIR: dataDir } = server.config;
    const file = join(dataDir, 'kept.backup');
    const settings = { ...settingsOf({ dataDir }), SECRET_KEY: 'another secret of the operator, long enough, too' };
    expect(await runCommandProcess(['backup', file], { folder: dataDir, settings })).toMatchObject({ code: 0 });
    const database = await freshDatabase('postgres');
    expect(await run(['restore', file], database)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^SECRET_KEY: the keys in .* were sealed with another secret/),
    });
    const store = openStore(database);
    expect(await store.introspection.getTables()).toEqual([]);
    await store.destroy();
  });
});

/** A data folder with one account, and a backup of it. */
async function openFolder() {
  const { dataDir } = await migratedDatabase('sqlite');
  writeFileSync(join(dataDir, 'secret.key'), 'k'.repeat(43));
  const people = join(dataDir, 'people.csv');
  writeFileSync(people, 'email\nann@example.com\n');
  expect(await run(['import', people], { dataDir })).toMatchObject({ code: 0 });
  const backup = join((await freshDatabase('sqlite')).dataDir, 'today.sqlite');
  expect(await run(['backup', backup], { dataDir })).toMatchObject({ code: 0 });
  return { dataDir, backup };
}

test('after a restore that was killed, no command and no service starts with an empty database', async () => {
  const { dataDir, backup } = await openFolder();
  const file = databaseFile(dataDir);
  mkdirSync(join(dataDir, 'before-restore-1'));
  renameSync(file, join(dataDir, 'before-restore-1', 'vestibule.sqlite'));
  writeFileSync(`${file}.restored`, 'half of it');

  const says = /a restore into .* was interrupted: run it again, or move the files in .*before-restore-.* back/;
  expect(await run(['accounts', 'find', 'ann'], { dataDir })).toMatchObject({
    code: 2,
    err: expect.stringMatching(says),
  });
  expect(await run(['doctor'], { dataDir })).toMatchObject({ code: 1, out: expect.stringMatching(says) });
  await expect(startProcess({ dataDir })).rejects.toThrow(says);
  expect(existsSync(file)).toBe(false);

  expect(await run(['restore', backup], { dataDir })).toMatchObject({ code: 0, err: '' });
  expect(await run(['accounts', 'find', 'ann'], { dataDir })).toMatchObject({ code: 0 });
});

test('a restore for which there is no room leaves the data in place', async () => {
  const { dataDir, backup } = await openFolder();
  mkdirSync(join(dataDir, 'secret.key.restored'));
  expect(await run(['restore', backup], { dataDir })).not.toMatchObject({ code: 0 });
  expect(await run(['accounts', 'find', 'ann'], { dataDir })).toMatchObject({ code: 0 });
});

/** Leaves a journal as a command that was killed during a change of `file` does: SQLite plays it back into that name. */
function leaveJournal(file: string, journal: string): void {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  database.exec('pragma journal_mode = delete; pragma secure_delete = on; pragma cache_size = 1; begin');
  for (const { name } of database.prepare("select name from sqlite_schema where type = 'table'").all())
    if (!String(name).startsWith('sqlite_')) database.exec(`drop table "${name}"`);
  copyFileSync(`${file}-journal`, journal);
  database.exec('rollback');
  database.close();
}

test.each(['restore', 'backup'])('a %s ignores what a killed one left behind', async (command) => {
  const { dataDir, backup } = await openFolder();
  const people = join(dataDir, 'people.csv');
  writeFileSync(people, `email\n${Array.from({ length: 300 }, (_, at) => `ann${at}@example.com\n`).join('')}`);
  expect(await run(['import', people], { dataDir })).toMatchObject({ code: 0 });
  const newer = `${backup}.newer`;
  const left = command === 'restore' ? `${databaseFile(dataDir)}.restored-journal` : `${newer}.unfinished-journal`;
  leaveJournal(backup, left);
  expect(await run(['backup', newer], { dataDir })).toMatchObject({ code: 0 });
  expect(await run(['restore', newer], { dataDir })).toMatchObject({ code: 0, err: '' });
  expect(await run(['doctor'], { dataDir })).toMatchObject({
    out: expect.stringContaining('intact, tables up to date, 301 accounts'),
  });
  expect(existsSync(left)).toBe(false);
});
