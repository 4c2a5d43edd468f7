import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openClient, statusAndCode } from '../../testing/client.ts';
import { runCommand } from '../../testing/command-line.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { contentsOf } from '../../testing/folders.ts';
import { password, register } from '../../testing/people.ts';
import { openTestNode } from '../../testing/test-node.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const usual = { PHONE_CONFIRMATION: 'off' };

async function emptyFolder(): Promise<string> {
  return (await freshDatabase('sqlite')).dataDir;
}

const run = (words: readonly string[], dataDir: string) =>
  runCommand(words, { folder: dataDir, settings: { DATA_DIR: dataDir, ...usual } });

/** Starts a service on a folder and signs in. */
async function signIn(dataDir: string, email: string): Promise<string> {
  const node = await openTestNode({ database: { dataDir }, settings: {}, clock: { offset: 0 } });
  try {
    return statusAndCode(await openClient(node.url).post('/auth/login', { email, password }));
  } finally {
    await node.close();
  }
}

/** Writes as fast as the database allows, until stopped. */
function keepWriting({ store }: TestServer): () => Promise<number> {
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

test('a backup during writes is intact, and contains everything that was acknowledged before', async () => {
  const server = await openTestServer('sqlite');
  const { email } = await register(server);
  const stopWriting = keepWriting(server);
  await pause(500);
  const files: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    const folder = await emptyFolder();
    const file = join(folder, `${name}.backup`);
    const made = await run(['backup', file], server.config.DATA_DIR);
    expect(made).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/verified, \d+ accounts?; contains the keys/),
    });
    files.push(file);
  }
  expect(await stopWriting()).toBeGreaterThan(500);
  for (const file of files) {
    const dataDir = await emptyFolder();
    expect(await run(['restore', file], dataDir)).toMatchObject({ code: 0, err: '' });
    expect((await run(['doctor', '--deep'], dataDir)).out).toMatch(
      /^ok {7}database +sqlite, intact, tables up to date, [1-9]/m,
    );
    expect(await signIn(dataDir, email)).toBe('200');
  }
});

test('a backup with a single changed letter is not restored', async () => {
  const server = await openTestServer('sqlite');
  const { email } = await register(server);
  const file = join(await emptyFolder(), 'changed.backup');
  expect((await run(['backup', file], server.config.DATA_DIR)).code).toBe(0);
  const bytes = readFileSync(file);
  const at = bytes.indexOf(email);
  expect(at).toBeGreaterThan(0);
  bytes[at] = 'X'.charCodeAt(0);
  writeFileSync(file, bytes);
  expect(await run(['restore', file], await emptyFolder())).toMatchObject({
    code: 2,
    err: expect.stringContaining('changed.backup is damaged: its checksum is wrong'),
  });
});

test('of simultaneous backups to one file, one is made and the others are refused', async () => {
  const server = await openTestServer('sqlite');
  await register(server);
  const folder = await emptyFolder();
  const file = join(folder, 'same.backup');
  const all = await Promise.all(Array.from({ length: 4 }, () => run(['backup', file], server.config.DATA_DIR)));
  expect(all.map(({ code }) => code).toSorted()).toEqual([0, 2, 2, 2]);
  for (const { code, err } of all)
    if (code !== 0) expect(err).toMatch(/same\.backup (?:is in progress|already exists)/);
  expect(readdirSync(folder)).toContain('same.backup');
  expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  expect(await run(['restore', file], await emptyFolder())).toMatchObject({ code: 0, err: '' });
});

test('a session from before the backup continues after the restore', async () => {
  const server = await openTestServer('sqlite');
  const { browser } = await register(server);
  const file = join(await emptyFolder(), 'kept.backup');
  await run(['backup', file], server.config.DATA_DIR);
  expect(await browser.post('/auth/refresh')).toSay('200');
  await server.close();
  expect(await run(['restore', file], server.config.DATA_DIR)).toMatchObject({ code: 0, err: '' });
  const node = await openTestNode({
    database: { dataDir: server.config.DATA_DIR },
    settings: {},
    clock: { offset: 0 },
  });
  const moved = openClient(node.url);
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
  expect(await moved.post('/auth/refresh')).toSay('200');
  await node.close();
});

test('a restore keeps the replaced files, and refuses to run beside a running service', async () => {
  const server = await openTestServer('sqlite');
  const { email } = await register(server);
  const { DATA_DIR } = server.config;
  const file = join(await emptyFolder(), 'kept.backup');
  await run(['backup', file], DATA_DIR);
  expect(await run(['restore', file], DATA_DIR)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^DATA_DIR: .* is still running/),
  });
  const later = await register(server);
  await server.close();
  const { code, out } = await run(['restore', file, '--json'], DATA_DIR);
  const { former, accounts } = JSON.parse(out);
  expect([code, accounts]).toEqual([0, 1]);
  expect(readdirSync(former).toSorted()).toEqual(['secret.key', 'vestibule.sqlite']);
  expect(await signIn(DATA_DIR, email)).toBe('200');
  expect(await signIn(DATA_DIR, later.email)).toMatch(/^401/);
  expect(await signIn(former, later.email)).toBe('200');
});

test.each<[string, (file: string) => void, RegExp]>([
  ['does not exist', (file) => rmSync(file), /does not exist/],
  ['is something else', (file) => writeFileSync(file, 'not a backup'), /is not a Vestibule backup/],
  [
    'is a folder',
    (file) => {
      rmSync(file);
      mkdirSync(file);
    },
    /kept\.backup is not a file/,
  ],
  ['was truncated', (file) => truncateSync(file, statSync(file).size - 40_000), /kept\.backup is damaged: /],
])('a backup that %s is refused, and nothing changes', async (_, spoil, says) => {
  const server = await openTestServer('sqlite');
  await register(server);
  const { DATA_DIR } = server.config;
  const file = join(await emptyFolder(), 'kept.backup');
  await run(['backup', file], DATA_DIR);
  await server.close();
  spoil(file);
  const before = contentsOf(DATA_DIR);
  expect(await run(['restore', file], DATA_DIR)).toMatchObject({ code: 2, err: expect.stringMatching(says) });
  expect(contentsOf(DATA_DIR)).toEqual(before);
});

test('backups and restores are entries of the audit log, with their reason', async () => {
  const server = await openTestServer('sqlite');
  const { DATA_DIR } = server.config;
  const file = join(await emptyFolder(), 'kept.backup');
  await run(['backup', file, '--reason', 'before the upgrade'], DATA_DIR);
  const entriesIn = async () => {
    const { entries } = JSON.parse((await run(['audit', '--json'], DATA_DIR)).out);
    return entries.map(({ action, subject, reason }: Record<string, unknown>) => ({ action, subject, reason }));
  };
  expect(await entriesIn()).toEqual([{ action: 'database_backed_up', subject: file, reason: 'before the upgrade' }]);
  await server.close();
  expect(await run(['restore', file, '--reason', 'ticket 7'], DATA_DIR)).toMatchObject({ code: 0, err: '' });
  expect(await entriesIn()).toEqual([
    { action: 'database_restored', subject: expect.stringMatching(`^${file}, as of 20`), reason: 'ticket 7' },
  ]);
  expect(await run(['restore', file, '--reason', ' '], DATA_DIR)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^--reason TEXT/),
  });
});

test('a backup replaces what an interrupted one to the same file left behind', async () => {
  const server = await openTestServer('sqlite');
  const folder = await emptyFolder();
  const file = join(folder, 'kept.backup');
  for (const ending of ['', '-wal', '-shm']) writeFileSync(`${file}.unfinished${ending}`, 'half of it');
  expect(await run(['backup', file], server.config.DATA_DIR)).toMatchObject({ code: 0, err: '' });
  expect(readdirSync(folder)).toEqual(['kept.backup']);
});

test('a backup never overwrites another file', async () => {
  const server = await openTestServer('sqlite');
  const file = join(await emptyFolder(), 'kept.backup');
  writeFileSync(file, 'older');
  expect(await run(['backup', file], server.config.DATA_DIR)).toMatchObject({
    code: 2,
    err: `${file} already exists\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe('older');
});

test('a restore refuses a backup with which this version cannot start, and keeps the data', async () => {
  const server = await openTestServer('sqlite');
  const { email } = await register(server);
  const file = join(await emptyFolder(), 'newer.backup');
  expect(await run(['backup', file], server.config.DATA_DIR)).toMatchObject({ code: 0 });
  const newer = new DatabaseSync(file);
  newer.exec("insert into oldest_code (migration) values ('9999-newer'); pragma application_id = 0");
  newer.close();
  await server.close();
  expect(await run(['restore', file], server.config.DATA_DIR)).toMatchObject({
    code: 2,
    err: `${file} is from a newer version, which knows "9999-newer": restore it with that version\n`,
  });
  expect(await signIn(server.config.DATA_DIR, email)).toBe('200');
});
