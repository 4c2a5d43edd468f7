import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openStore, type Store } from '../../store/database.ts';
import { addAuthenticator, authenticatorWith } from '../../testing/authenticator.ts';
import { type Client, openClient } from '../../testing/client.ts';
import { runCommandProcess } from '../../testing/command-line.ts';
import { freshDatabase, type TestDatabase, withPostgres } from '../../testing/databases/databases.ts';
import { contentsOf } from '../../testing/folders.ts';
import { eventually } from '../../testing/outbox.ts';
import { addComputer, password, register, registerProven } from '../../testing/people.ts';
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
