import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { days } from '../contract/durations.ts';
import { cleanUp } from '../store/clean-up.ts';
import { firstIdOf } from '../store/ordered-id.ts';
import { type Client, statusAndCode } from '../testing/client.ts';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase, migratedDatabase, withPostgres } from '../testing/databases/databases.ts';
import { partitionNames } from '../testing/databases/partitioned-rows.ts';
import { password, register } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import { doctor } from './doctor/doctor.ts';

interface Place {
  readonly dataDir: string;
  readonly databaseUrl?: string | undefined;
}

const run = (words: readonly string[], { dataDir, databaseUrl }: Place) =>
  runCommand(words, {
    folder: dataDir,
    settings: { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PHONE_CONFIRMATION: 'off' },
  });

const monthsOf = (time: number, later: number) =>
  new Date(Date.UTC(new Date(time).getUTCFullYear(), new Date(time).getUTCMonth() + later));
const named = (date: Date) => date.toISOString().slice(0, 7).replace('-', '_');

async function addComputer(server: TestServer, browser: Client): Promise<Client> {
  const { code } = (await browser.post('/computers/enrolments', { password })).body;
  const body = { code, name: 'Office', platform: 'linux' };
  const { device_token } = (await server.client().send('POST', '/computers/enrol', { body })).body;
  return Object.assign(server.client(), { token: device_token });
}

const report = async (computer: Client, ...records: { id: string; at: number }[]) => {
  const body = { records: records.map((record) => ({ ...record, kind: 'start', text: record.id })) };
  return statusAndCode(await computer.send('POST', '/computers/records', { body }));
};

/** The texts of all records, page by page. */
async function textsOf(browser: Client, filter = ''): Promise<string[]> {
  const texts: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const { body } = await browser.get(`/computers/records?${filter}${next ? `&before=${next}` : ''}`);
    texts.push(...body.records.map(({ text }: { text: string }) => text));
    next = body.next;
  }
  return texts;
}

/** The finding of the doctor about partitions. */
async function examined({ dataDir, databaseUrl }: Place, now = Date.now()): Promise<string | undefined> {
  const environment = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PHONE_CONFIRMATION: 'off' };
  const { text } = await doctor.runBare({ environment, options: {}, positionals: [], now, folder: dataDir });
  return text
    .split('\n')
    .find((line) => / partitions /.test(line))
    ?.replaceAll(/\s+/g, ' ');
}

test('vestibule partition explains on SQLite that there is nothing to do', async () => {
  const database = await migratedDatabase('sqlite');
  expect(await run(['partition'], database)).toEqual({
    code: 2,
    out: '',
    err: 'partition: SQLite has no partitions; its clean-up deletes row by row\n',
  });
  expect(await examined(database)).toBeUndefined();
});

describe.runIf(withPostgres)('vestibule partition on PostgreSQL', () => {
  test('divides the tables of a running service, and records the operator', async () => {
    const server = await openTestServer('postgres');
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = server.config;
    const { browser, email } = await register(server);
    const computer = await addComputer(server, browser);
    const texts: string[] = [];
    const responses = new Set<string>();
    let isRunning = true;
    const use = async () => {
      while (isRunning) {
        const id = `${texts.length}`;
        // An agent repeats what it could not confirm.
        responses.add(
          await report(computer, { id, at: server.now() }, { id: texts.at(-1) ?? id, at: server.now() - 1 }),
        );
        texts.push(id);
        responses.add(statusAndCode(await browser.get('/computers/records')));
        responses.add(statusAndCode(await browser.get('/account/activity')));
        responses.add(statusAndCode(await server.client().post('/auth/login', { email, password })));
      }
    };
    const using = use();
    const { code, out, err } = await run(['partition', '--json', '--reason', 'growth'], { dataDir, databaseUrl });
    isRunning = false;
    await using;
    expect([code, err]).toEqual([0, '']);
    const first = named(monthsOf(Date.now(), 2));
    const tables = ['activity', 'notifications', 'records'];
    expect(JSON.parse(out)).toEqual({
      tables: tables.map((table) => ({ table, converted: true, created: [`${table}_${first}`], left: [] })),
    });
    expect([...responses].sort()).toEqual(['200', '202']);
    expect((await textsOf(browser)).sort()).toEqual(texts.toSorted());
    const again = await run(['partition'], { dataDir, databaseUrl });
    expect([again.code, again.out]).toEqual([0, tables.map((table) => `${table}: was already divided\n`).join('')]);
    const { entries } = JSON.parse((await run(['audit', '--json'], { dataDir, databaseUrl })).out);
    expect(entries).toEqual([
      expect.objectContaining({ action: 'database_partitioned', subject: tables.join(', '), reason: 'growth' }),
    ]);
  });

  test('keeps pages in order over the months, a record once, and deletes all of a deleted account', async () => {
    const server = await openTestServer('postgres', { RECORDS_RETENTION_DAYS: '400' });
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = server.config;
    const begin = server.now();
    const { browser, email } = await register(server);
    const computer = await addComputer(server, browser);
    await run(['partition'], { dataDir, databaseUrl });
    const expected: string[] = [];
    for (let month = 0; month < 6; month += 1) {
      await cleanUp(server.store, { now: server.now(), activityKept: days(365), recordsKept: days(400) });
      // The clock of this computer is ahead, and it repeats its last record, which may now belong to another month.
      const repeated = { id: expected[0] ?? 'first', at: server.now() + days(3) };
      expect(await report(computer, repeated, { id: `${month}`, at: server.now() })).toBe('202');
      if (month === 0) expected.unshift('first');
      expected.unshift(`${month}`);
      await sql`insert into activity (id, account_id, at, kind, ip, user_agent)
        select ${firstIdOf(server.now() + 1)}, id, ${server.now()}, 'signed_out', '', ${`${month}`} from accounts`.execute(
        server.store,
      );
      server.forward(monthsOf(begin, month + 1).getTime() + days(1) - server.now());
    }
    const back = server.client();
    await back.post('/auth/login', { email, password });
    const [shown, ...others] = [await textsOf(back), await textsOf(back, 'kind=start')];
    expect(shown.toSorted()).toEqual(expected.toSorted());
    expect(shown.filter((text) => text !== 'first')).toEqual(expected.filter((text) => text !== 'first'));
    expect(others).toEqual([shown]);
    const activity = (await back.get('/account/activity')).body.records as { at: string; kind: string }[];
    const months = activity.filter(({ kind }) => kind === 'signed_out').map(({ at }) => at);
    expect(months).toHaveLength(6);
    expect(months).toEqual(months.toSorted().reverse());
    expect((await partitionNames(server.store, 'records')).length).toBeGreaterThan(6);

    expect(await run(['accounts', 'delete', email, '--yes'], { dataDir, databaseUrl })).toMatchObject({ code: 0 });
    const { rows } =
      await sql`select id from activity union all select id from records union all select id from notifications`.execute(
        server.store,
      );
    expect(rows).toEqual([]);
  });

  test('is recommended by the doctor for large tables only, which then reports missing months', async () => {
    expect(await examined(await freshDatabase('postgres'))).toBeUndefined();
    const server = await openTestServer('postgres');
    const { DATA_DIR: dataDir, DATABASE_URL: databaseUrl } = server.config;
    const { store } = server;
    const database = { dataDir, databaseUrl };
    expect(await examined(database)).toBe('ok partitions none: no table is large');
    await sql`update pg_class set reltuples = 12000000 where oid = 'records'::regclass`.execute(store);
    expect(await examined(database)).toBe(
      'warning partitions records (about 12000000 rows): vestibule partition lets the clean-up drop whole months in one step',
    );
    await run(['partition'], database);
    expect(await examined(database)).toBe('ok partitions monthly: activity, notifications, records');
    const last = `records_${named(monthsOf(Date.now(), 2))}`;
    await sql`drop table ${sql.table(last)}`.execute(store);
    expect(await examined(database)).toBe('ok partitions monthly: activity, notifications, records');
    expect(await examined(database, monthsOf(Date.now(), 1).getTime())).toBe(
      `FAILED partitions ${last} missing, see the log of the clean-up: run vestibule partition`,
    );
    expect((await run(['partition'], database)).out).toContain(`records: was already divided, ${last}\n`);
    expect(await examined(database, monthsOf(Date.now(), 1).getTime())).toBe(
      'ok partitions monthly: activity, notifications, records',
    );
  });
});
