import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openClient, said } from '../../testing/client.ts';
import { runCommand } from '../../testing/command-line.ts';
import { contentsOf } from '../../testing/contents.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { type House, openHouse } from '../../testing/house.ts';
import { openNode } from '../../testing/node.ts';
import { password, register } from '../../testing/people.ts';

const usual = { PHONE_CONFIRMATION: 'off' };

async function emptyFolder(): Promise<string> {
  return (await freshDatabase('sqlite')).dataDir;
}

const run = (words: readonly string[], dataDir: string) =>
  runCommand(words, { folder: dataDir, settings: { DATA_DIR: dataDir, ...usual } });

/** Signs in at a service on a folder. */
async function signIn(dataDir: string, email: string): Promise<string> {
  const node = await openNode({ database: { dataDir }, settings: {}, clock: { offset: 0 } });
  try {
    return said(await openClient(node.url).post('/auth/login', { email, password }));
  } finally {
    await node.close();
  }
}

/** Writes as fast as the database takes it, until told to stop. */
function keepWriting({ store }: House): () => Promise<number> {
  let [stopped, written] = [false, 0];
  const writing = (async () => {
    while (!stopped) {
      const rows = Array.from({ length: 50 }, (_, at) => ({ id: `${written + at}`, key: 'x'.repeat(500), at: 0 }));
      await store.insertInto('limit_hits').values(rows).execute();
      written += rows.length;
    }
  })();
  return async () => {
    stopped = true;
    await writing;
    return written;
  };
}

test('a backup of a service that writes meanwhile is whole, and has everything that was answered before', async () => {
  const house = await openHouse('sqlite');
  const { email } = await register(house);
  const stopWriting = keepWriting(house);
  await pause(500);
  const files: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const folder = await emptyFolder();
    const file = join(folder, `${name}.backup`);
    const made = await run(['backup', file], house.config.DATA_DIR);
    expect(made).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/whole, \d+ accounts; the keys are in it/),
    });
    files.push(file);
  }
  expect(await stopWriting()).toBeGreaterThan(500);
  for (const file of files) {
    const dataDir = await emptyFolder();
    expect(await run(['restore', file], dataDir)).toMatchObject({ code: 0, err: '' });
    expect((await run(['doctor'], dataDir)).out).toMatch(/^ok {7}database +sqlite, whole, tables up to date, [1-9]/m);
    expect(await signIn(dataDir, email)).toBe('200');
  }
});

test('a session of before the backup goes on after the restore', async () => {
  const house = await openHouse('sqlite');
  const { browser } = await register(house);
  const file = join(await emptyFolder(), 'kept.backup');
  await run(['backup', file], house.config.DATA_DIR);
  expect(said(await browser.post('/auth/refresh'))).toBe('200');
  await house.close();
  expect(await run(['restore', file], house.config.DATA_DIR)).toMatchObject({ code: 0, err: '' });
  const node = await openNode({
    database: { dataDir: house.config.DATA_DIR },
    settings: {},
    clock: { offset: 0 },
  });
  const moved = openClient(node.url);
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
  expect(said(await moved.post('/auth/refresh'))).toBe('200');
  await node.close();
});

test('a restore keeps what it replaces, and none is done below a service that runs', async () => {
  const house = await openHouse('sqlite');
  const { email } = await register(house);
  const { DATA_DIR } = house.config;
  const file = join(await emptyFolder(), 'kept.backup');
  await run(['backup', file], DATA_DIR);
  expect(await run(['restore', file], DATA_DIR)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^DATA_DIR: .* still runs/),
  });
  const later = await register(house);
  await house.close();
  const { code, out } = await run(['restore', file, '--json'], DATA_DIR);
  const { former, accounts } = JSON.parse(out);
  expect([code, accounts]).toEqual([0, 1]);
  expect(readdirSync(former).toSorted()).toEqual(['secret.key', 'vestibule.sqlite']);
  expect(await signIn(DATA_DIR, email)).toBe('200');
  expect(await signIn(DATA_DIR, later.email)).toMatch(/^401/);
  expect(await signIn(former, later.email)).toBe('200');
});

test.each<[string, (file: string) => void, RegExp]>([
  ['is not there', (file) => rmSync(file), /is not there/],
  ['is something else', (file) => writeFileSync(file, 'nothing of the kind'), /is no backup of this service/],
  ['was cut off', (file) => truncateSync(file, statSync(file).size - 40_000), /is damaged|is no backup/],
])('a backup that %s is refused, and nothing changes', async (_, spoil, says) => {
  const house = await openHouse('sqlite');
  await register(house);
  const { DATA_DIR } = house.config;
  const file = join(await emptyFolder(), 'kept.backup');
  await run(['backup', file], DATA_DIR);
  await house.close();
  spoil(file);
  const before = contentsOf(DATA_DIR);
  expect(await run(['restore', file], DATA_DIR)).toMatchObject({ code: 2, err: expect.stringMatching(says) });
  expect(contentsOf(DATA_DIR)).toEqual(before);
});

test('a backup never takes the place of another file', async () => {
  const house = await openHouse('sqlite');
  const file = join(await emptyFolder(), 'kept.backup');
  writeFileSync(file, 'older');
  expect(await run(['backup', file], house.config.DATA_DIR)).toMatchObject({
    code: 2,
    err: `${file} exists already\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('older');
});
