import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { doctor } from '../../cli/doctor/doctor.ts';
import { migrateCommand } from '../../cli/migrate.ts';
import { freshDatabase, openTestStore, withPostgres } from '../../testing/databases/databases.ts';
import { openProxy } from '../../testing/databases/outages.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

/** Session state: it outlives its transaction, and behind a pooler it would affect the next client. */
const sessionState =
  /(?:[\0;]\s*|^)(?:set\s+(?!local\b|transaction\b)|reset\s|listen\s|discard\s|prepare\s|create\s+temp)|pg_(?:try_)?advisory_lock|set_config\([^)]*false|with\s+hold/gi;

test('the pattern finds session state, and only that', () => {
  const stays = ['Q\0set default_transaction_read_only = on', 'begin; set statement_timeout = 1', '\0listen news'];
  const ends = ['begin; set local statement_timeout = 1', '\0update a set b = 1', '\0select pg_advisory_xact_lock(1)'];
  for (const text of stays) expect([text, text.match(sessionState)?.length]).toEqual([text, 1]);
  for (const text of ends) expect([text, text.match(sessionState)]).toEqual([text, null]);
});

test.runIf(withPostgres)('neither the service nor a command leaves session state on a connection', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const proxy = await openProxy(databaseUrl);
  const server = await openTestServer('sqlite', { DATA_DIR: dataDir, DATABASE_URL: proxy.url });
  const { email, browser } = await register(server);
  await browser.post('/auth/refresh');
  expect(await server.client().post('/auth/login', { email, password })).toSay('200');
  const environment = {
    DATA_DIR: dataDir,
    DATABASE_URL: proxy.url,
    PHONE_CONFIRMATION: 'off',
    SECRET_KEY: 'a secret key of thirty-two characters',
  };
  const given = { environment, positionals: [], now: Date.now(), folder: dataDir };
  await doctor.runBare({ ...given, options: {} });
  expect(await migrateCommand.runBare({ ...given, options: { check: true } })).toMatchObject({ failed: false });
  expect(proxy.sent()).toContain('begin isolation level read committed read only; set local statement_timeout');
  expect(proxy.sent().match(sessionState)).toBe(null);
});

test.runIf(withPostgres)('a store never changes the settings of a connection', async () => {
  const database = { ...(await freshDatabase('postgres')), poolSize: 1 };
  const store = openTestStore(database);
  await sql`create table notes (id integer)`.execute(store);
  await store.transaction().execute((trx) => sql`insert into notes values (${1})`.execute(trx));
  await store
    .transaction()
    .execute((trx) => sql`select no_such_column`.execute(trx))
    .catch(() => undefined);
  const { rows } = await sql`select name, setting from pg_settings where source = 'session'`.execute(store);
  expect(rows).toEqual([]);
});
