import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCommand } from '../../testing/command-line.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

const second = '2020-01-31T07:08:09.000Z';
const times: readonly (readonly [written: string | number, at: string])[] = [
  ['2020-01-31', '2020-01-31T00:00:00.000Z'],
  ['2020-02-29', '2020-02-29T00:00:00.000Z'],
  ['2020-01-31T07:08:09Z', second],
  ['2020-01-31T09:08:09+02:00', second],
  ['2020-01-31T07:08:09', second],
  ['2020-01-31 07:08:09', second],
  ['2020-01-31 07:08:09 UTC', second],
  ['2020-01-31 10:08:09 +0300', second],
  ['2020-01-31 07:08:09.123456+00', '2020-01-31T07:08:09.123Z'],
  [1_580_454_489, second],
  ['1580454489', second],
  [1_580_454_489_000, second],
];

const noTimes: readonly (string | number)[] = [
  '2020-02-30',
  '2019-02-29T00:00:00Z',
  '2020-04-31 07:08:09',
  '2020-01-31T24:00:00Z',
  '2020-01-31T07:60:00Z',
  '2020-01-31T07:08:09+25:00',
  '5/6/2019',
  '2019-W19-1',
  '2019-126',
  '20190506',
  '20190506070809',
  '1970-01-01',
  '0001-01-01T00:00:00Z',
  '+010000-01-01',
  '2999-01-01',
  0,
  -1,
  43_831,
  1_577_836_800_000_000,
  1e300,
  'yesterday',
];

const truths: readonly (readonly [written: string | number | boolean, isTrue: boolean])[] = [
  ['TRUE', true],
  ['t', true],
  [1, true],
  [true, true],
  ['FALSE', false],
  ['f', false],
  [0, false],
];

describe.each(usualEngines)('values as other services write them, on %s', async (engine) => {
  const opened = await openTestServer(engine);

  /** Imports on a machine whose time zone is not a whole number of hours from UTC. */
  const importing = async (rows: readonly Readonly<Record<string, unknown>>[]) => {
    const { DATA_DIR, DATABASE_URL } = opened.config;
    writeFileSync(join(DATA_DIR, 'rows.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    return runCommand(['import', 'rows.jsonl'], {
      folder: DATA_DIR,
      settings: { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off', TZ: 'Pacific/Chatham' },
    });
  };
  const imported = async (name: string) =>
    opened.store.selectFrom('accounts').selectAll().where('email', 'like', `${name}%`).orderBy('email').execute();
  const emailOf = (name: string, at: number) => `${name}${String(at).padStart(2, '0')}@old.example`;

  test('a time has the same value in each format, in any time zone of this machine', async () => {
    const rows = times.map(([created_at], at) => ({ email: emailOf('time', at), created_at }));
    expect(await importing(rows)).toMatchObject({ code: 0 });
    const kept = await imported('time');
    expect(kept.map(({ created_at }, at) => [times[at]?.[0], new Date(created_at).toISOString()])).toEqual(times);
  });

  test('invalid times, and times before any account, are refused with their line', async () => {
    const { code, out } = await importing(noTimes.map((created_at, at) => ({ email: emailOf('no', at), created_at })));
    const [head, ...lines] = out.trimEnd().split('\n');
    expect([code, head]).toEqual([1, `0 added, 0 already existed, ${noTimes.length} refused`]);
    const why = 'not a valid past time; write 2020-01-31, 2020-01-31T07:08:09Z, or seconds or milliseconds since 1970';
    expect(lines).toEqual(
      noTimes.map((time, at) => `line ${at + 1}: created_at: ${why}, in ${JSON.stringify(String(time))}`),
    );
  });

  test('booleans are read as spreadsheets and databases write them', async () => {
    const rows = truths.map(([email_verified], at) => ({ email: emailOf('truth', at), email_verified }));
    expect(await importing(rows)).toMatchObject({ code: 0 });
    const kept = await imported('truth');
    expect(kept.map(({ email_proven_at }, at) => [truths[at]?.[0], email_proven_at !== null])).toEqual(truths);
  });
});
