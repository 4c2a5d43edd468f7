import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { openStore } from '../store/database.ts';
import { databaseFile } from '../store/sqlite/files.ts';
import { compileCache } from '../testing/caches.ts';
import { openClient, statusAndCode } from '../testing/client.ts';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase, migratedDatabase, usualEngines, withPostgres } from '../testing/databases/databases.ts';
import { copyProject } from '../testing/folders.ts';
import { freePort } from '../testing/free-port.ts';
import { form } from '../testing/people.ts';
import {
  currentProgram,
  isBuildCurrent,
  shareRenderings,
  spawnUnprivileged,
  startProcess,
} from '../testing/process.ts';

const program = currentProgram('server');
const head = 'Vestibule cannot start. Correct these settings:\n';

/** Without `PUBLIC_URL`, each start would render the pages for its own port. */
const { PATH, SystemRoot } = process.env;
const common = {
  PATH,
  SystemRoot,
  ...compileCache,
  PUBLIC_URL: 'http://localhost:3000',
  PORT: '0',
  LOG_LEVEL: 'silent',
};

const optionsFor = (settings: Record<string, string | undefined>) => ({
  env: { ...common, ...settings },
  timeout: minutes(5),
});

/** Starts the service, which must refuse, and returns its status and what it says. */
const start = (settings: Record<string, string | undefined>, options: SpawnSyncOptions = {}) =>
  spawnSync(process.execPath, [program], { ...options, ...optionsFor(settings), encoding: 'utf8' });

type Prepare = (folder: string) => Record<string, string>;

/** An `.env`, or a file or folder in the data folder. */
const settingsFor = (folder: string, name: string) => (name === '.env' ? {} : { DATA_DIR: folder });
const withFile =
  (name: string, content: string, encoding: BufferEncoding = 'utf8'): Prepare =>
  (folder) => {
    writeFileSync(join(folder, name), content, encoding);
    return settingsFor(folder, name);
  };
const withFolder =
  (name: string): Prepare =>
  (folder) => {
    mkdirSync(join(folder, name));
    return settingsFor(folder, name);
  };

test.each<[string, Prepare, RegExp, status?: number]>([
  [
    'an unknown host',
    () => ({ HOST: 'nowhere.invalid' }),
    /^HOST: nowhere\.invalid is not an address of this machine$/,
  ],
  [
    'the host of another machine',
    () => ({ HOST: '192.0.2.1' }),
    /^HOST: 192\.0\.2\.1 is not an address of this machine$/,
  ],
  [
    'an unreachable PostgreSQL',
    () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }),
    /^DATABASE_URL: PostgreSQL cannot be used: connect ECONNREFUSED/,
  ],
  [
    'each of two unreachable PostgreSQL hosts',
    () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9,127.0.0.1:10/none?sslmode=require' }),
    /^DATABASE_URL: none of the PostgreSQL hosts can be used: 127\.0\.0\.1:9: connect ECONNREFUSED.*; 127\.0\.0\.1:10: connect ECONNREFUSED[^\n]*$/,
  ],
  [
    'a file that is not a database',
    withFile('vestibule.sqlite', 'something else altogether'.repeat(10)),
    /^DATA_DIR: .*vestibule\.sqlite cannot be used: file is not a database$/,
  ],
  [
    'a file instead of the data folder',
    (folder) => {
      writeFileSync(join(folder, 'data'), '');
      return { DATA_DIR: join(folder, 'data') };
    },
    /^DATA_DIR: .*cannot be used: E/,
  ],
  [
    'a lock that is not one',
    withFile('service.lock', 'something else altogether'.repeat(100)),
    /^DATA_DIR: .*service\.lock cannot be used: file is not a database$/,
  ],
  ['a folder instead of the secret', withFolder('secret.key'), /^SECRET_KEY: .*secret\.key cannot be read: EISDIR/],
  ['an unreadable .env', withFolder('.env'), /^\.env: cannot be read: EISDIR/, 78],
  [
    'an .env in UTF-16',
    withFile('.env', '\uFEFFHOST=192.0.2.1\n', 'utf16le'),
    /^\.env: is not text in UTF-8; save it in that encoding$/,
    78,
  ],
  [
    'an .env that links to a missing file',
    (folder) => {
      symlinkSync(join(folder, 'vestibule.env'), join(folder, '.env'));
      return {};
    },
    /^\.env: is a link to a file that does not exist$/,
    78,
  ],
  [
    'an .env in Latin-1',
    withFile('.env', 'PRODUCT_NAME=Caf\u00E9\n', 'latin1'),
    /^\.env: is not text in UTF-8; save it in that encoding$/,
    78,
  ],
  [
    'a % in DATABASE_URL, with the bundle as well',
    () => ({ DATABASE_URL: 'postgres://user:100%@127.0.0.1:9/none' }),
    /^DATABASE_URL: has a % that is not part of %XX: write a % as %25$/,
    78,
  ],
  [
    'a setting on the first line of an .env with a byte order mark',
    withFile('.env', '\uFEFFHOST=192.0.2.1\n'),
    /^HOST: 192\.0\.2\.1 is not an address of this machine$/,
  ],
])('%s is reported with its setting, on one line without a stack', async (_, prepare, says, expected = 1) => {
  const { dataDir: folder } = await freshDatabase('sqlite');
  const settings = prepare(folder);
  const dataDir = settings.DATA_DIR ?? join(folder, 'data');
  if (!existsSync(dataDir)) mkdirSync(dataDir);
  if (statSync(dataDir).isDirectory()) shareRenderings(dataDir);
  const { status, stderr } = start(settings, { cwd: folder });
  expect(stderr.slice(0, head.length)).toBe(head);
  expect(stderr.slice(head.length).trimEnd()).toMatch(says);
  expect(status).toBe(expected);
});

test('a taken port is reported before any page is rendered', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const { dataDir } = await freshDatabase('sqlite');
  const { status, stderr } = start({ PORT: String(port), HOST: '127.0.0.1', DATA_DIR: dataDir });
  expect([status, stderr]).toEqual([1, `${head}PORT: another process already listens at 127.0.0.1:${port}\n`]);
  expect(existsSync(join(dataDir, 'pages'))).toBe(false);
});

test.runIf(process.platform === 'linux').each(usualEngines)(
  'a data folder that cannot be created, as in /proc, is reported as such, with %s',
  async (engine) => {
    const { databaseUrl } = await freshDatabase(engine);
    const { status, stderr } = start({ DATA_DIR: '/proc/data', DATABASE_URL: databaseUrl });
    expect(stderr.slice(head.length)).toMatch(
      /^DATA_DIR: .*ENOENT: no such file or directory, mkdir '\/proc\/data'\n$/,
    );
    expect(status).toBe(1);
  },
);

const startUnprivileged = (settings: Record<string, string | undefined>, cwd: string) =>
  spawnUnprivileged([program], { ...optionsFor(settings), cwd });

test.skipIf(process.platform === 'win32').each(usualEngines)(
  'a data folder that this user cannot write is reported as such, with %s',
  async (engine) => {
    const { dataDir: folder, databaseUrl } = await freshDatabase(engine);
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o500 });
    const { status, stderr } = startUnprivileged({ DATA_DIR: data, DATABASE_URL: databaseUrl }, folder);
    expect(stderr).toBe(`${head}DATA_DIR: ${data} cannot be used: this user lacks permission to read and write it\n`);
    expect(status).toBe(1);
  },
);

const made: Readonly<Record<string, (path: string) => void>> = {
  file: (path) => writeFileSync(path, '', { mode: 0o400 }),
  folder: (path) => void mkdirSync(path, { mode: 0o500 }),
};

test.skipIf(process.platform === 'win32').each([
  ['vestibule.sqlite', 'file'],
  ['vestibule.sqlite-wal', 'file'],
  ['secret.key', 'file'],
  ['assets', 'folder'],
  ['pages', 'folder'],
])('%s, a %s that this user cannot write, is reported as such', async (name, kind) => {
  const { dataDir: folder } = await freshDatabase('sqlite');
  made[kind]?.(join(folder, name));
  const { status, stderr } = startUnprivileged({ DATA_DIR: folder }, folder);
  expect(stderr).toBe(
    `${head}DATA_DIR: ${join(folder, name)} cannot be used: this user lacks permission to read and write it\n`,
  );
  expect(status).toBe(1);
});

/** Starts the service on a folder, and returns what it says instead of becoming ready. */
function refusalOn(folder: string): string {
  shareRenderings(folder);
  const { status, stderr } = start({ DATA_DIR: folder }, { cwd: folder });
  expect(status).toBe(1);
  expect(stderr.slice(0, head.length)).toBe(head);
  return stderr.slice(head.length);
}

test('a second service on one data folder is refused, and the first continues', async () => {
  const database = await freshDatabase('sqlite');
  const first = await startProcess(database);
  expect(refusalOn(database.dataDir)).toBe(
    `DATA_DIR: another service is running on ${database.dataDir}: stop it, or use another folder\n`,
  );
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  await first.stop();
  await startProcess(database);
});

const pageSize = 4096;

/** Overwrites a page of a database with bytes that are not a page. */
function damage(file: string, page: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(pageSize, 0xa5), 0, pageSize, (page - 1) * pageSize);
  closeSync(descriptor);
}

test.each([2, 20])('a database whose page %i is damaged is refused', async (page) => {
  const { dataDir } = await migratedDatabase('sqlite');
  damage(databaseFile(dataDir), page);
  expect(refusalOn(dataDir)).toMatch(
    /^DATA_DIR: .*vestibule\.sqlite cannot be used: database disk image is malformed\n$/,
  );
});

test('a node that meets a damaged page is no longer ready, and logs it once', async () => {
  const database = await migratedDatabase('sqlite');
  const store = openStore(database);
  const { rows } = await sql<{ page: number }>`
    select rootpage as page from sqlite_schema where name = 'sqlite_autoindex_promo_codes_1'`.execute(store);
  await store.destroy();
  const service = await startProcess(database);
  damage(databaseFile(database.dataDir), Number(rows[0]?.page));
  const client = openClient(service.url);
  for (const _ of [1, 2])
    expect(await client.post('/auth/register', form({ promo_code: 'SUMMER' }))).toSay('503 try_again_later');
  expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
  const lines = () => service.log().filter(({ msg }) => msg === 'the database file is damaged: restore a backup');
  await expect.poll(lines).toEqual([expect.objectContaining({ level: 50, error: 'database disk image is malformed' })]);
});

test.runIf(withPostgres)('the service and the command line start with a URL whose first host is down', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const { host } = new URL(databaseUrl);
  const several = databaseUrl.replace(host, `127.0.0.1:${await freePort()},${host}`);
  const service = await startProcess({ dataDir, databaseUrl: several });
  expect(await openClient(service.url).post('/auth/register', form())).toSay('201');
  const settings = { DATA_DIR: dataDir, DATABASE_URL: several, PHONE_CONFIRMATION: 'off' };
  const { out } = await runCommand(['doctor'], { folder: dataDir, settings });
  expect(out).toMatch(/^ok {7}database +postgres, tables up to date, 1 account$/m);
});

test.runIf(withPostgres)(
  'nodes that start together on an empty database and data folder all become ready',
  async () => {
    const database = await freshDatabase('postgres');
    const nodes = await Promise.all(Array.from({ length: 4 }, () => startProcess(database, {}, { rendersAnew: true })));
    const responses = await Promise.all(nodes.map(({ url }) => fetch(`${url}/readyz`)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // One complete copy of the build, and no temporary one left over.
    expect(readdirSync(join(database.dataDir, 'assets'))).toHaveLength(1);
  },
);

test('while a dump is restored into PostgreSQL, users are asked to try again, and no bug is reported', async () => {
  const database = await migratedDatabase('postgres');
  const service = await startProcess(database);
  const register = async () =>
    statusAndCode(await openClient(service.url).post('/auth/register', form({ email: 'ann@example.com' })));
  const administrator = openStore(database);
  try {
    await sql`alter table accounts rename to not_yet_restored`.execute(administrator);
    expect(await register()).toBe('503 try_again_later');
    await sql`alter table not_yet_restored rename to accounts`.execute(administrator);
    expect(await register()).toMatch(/^201/);
  } finally {
    await administrator.destroy();
  }
  expect(service.log().filter(({ msg }) => msg === 'unforeseen failure')).toEqual([]);
});

/** The largest script in a folder of assets. */
const scriptIn = (folder: string): string =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .toSorted((a, b) => readFileSync(join(folder, b)).length - readFileSync(join(folder, a)).length)[0] ?? '';

test.runIf(isBuildCurrent())('a build with a truncated asset is refused with the name of the file', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  const project = copyProject({ built: true });
  onTestFinished(project.remove);
  const folder = project.path('dist', 'client', 'assets');
  const file = join(folder, scriptIn(folder));
  truncateSync(file, 100);
  const { PATH, SystemRoot } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [project.path('dist', 'server', 'server.js')], {
    cwd: dataDir,
    env: { PATH, SystemRoot, PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir },
    encoding: 'utf8',
    timeout: minutes(1),
  });
  expect(stderr).toBe(
    `Vestibule cannot start. Correct these settings:\n${file} is missing or incomplete: run \`npm run build\` again\n`,
  );
  expect(status).toBe(1);
});

test('a truncated copy of an asset, and truncated pages, in the data folder are replaced at the next start', async () => {
  const database = await freshDatabase('sqlite');
  const first = await startProcess(database, {}, { rendersAnew: true });
  await first.stop();
  const [build = ''] = readdirSync(join(database.dataDir, 'assets'));
  const folder = join(database.dataDir, 'assets', build);
  const name = scriptIn(folder);
  const whole = readFileSync(join(folder, name));
  truncateSync(join(folder, name), 100);
  const [pages = ''] = readdirSync(join(database.dataDir, 'pages'));
  truncateSync(join(database.dataDir, 'pages', pages), 100);
  const second = await startProcess(database, {}, { rendersAnew: true });
  const served = await fetch(`${second.url}/assets/${name}`, { headers: { 'accept-encoding': 'identity' } });
  expect(Buffer.from(await served.arrayBuffer())).toEqual(whole);
  expect((await fetch(`${second.url}/recovery/`)).status).toBe(200);
});
