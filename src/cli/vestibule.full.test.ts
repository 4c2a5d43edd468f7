import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { runCommand, runCommandProcess } from '../testing/command-line.ts';
import { freshDatabase, migratedDatabase } from '../testing/databases/databases.ts';
import { spawnUnprivileged, startProcess } from '../testing/process.ts';

const folder = mkdtempSync(join(tmpdir(), 'vestibule-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each<[string, string[], number, RegExp]>([
  ['a folder to import', ['import', '.'], 2, /^\S+ is not a file\n$/],
  ['a folder of rows to import', ['import', 'rows.jsonl'], 2, /rows\.jsonl is not a file\n$/],
  ['a backup to a missing folder', ['backup', 'nowhere/copy'], 1, /^cannot create .*nowhere\/copy: [^\n]+\n$/],
])('%s is refused with one line, without a stack', async (_, words, code, err) => {
  const { dataDir } = await freshDatabase('sqlite');
  mkdirSync(join(dataDir, 'rows.jsonl'));
  const usual = { folder: dataDir, settings: { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off' } };
  expect(await runCommandProcess(['migrate'], usual)).toMatchObject({ code: 0 });
  expect(await runCommandProcess(words, usual)).toMatchObject({ code, out: '', err: expect.stringMatching(err) });
});

test.skipIf(process.platform === 'win32')(
  'a database that this user cannot write is not reported as damaged',
  async () => {
    const { dataDir } = await freshDatabase('sqlite');
    const settings = { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off' };
    expect(await runCommandProcess(['migrate'], { folder: dataDir, settings })).toMatchObject({ code: 0 });
    chmodSync(join(dataDir, 'vestibule.sqlite'), 0o400);
    const { status, stdout } = spawnUnprivileged([join(import.meta.dirname, 'vestibule.ts'), 'doctor'], {
      cwd: dataDir,
      env: { PATH: process.env.PATH, ...settings },
    });
    expect(stdout).toMatch(/^FAILED {3}database +DATA_DIR: .*: this user lacks permission to read and write it$/m);
    expect(status).toBe(1);
  },
);

test.skipIf(process.platform === 'win32').each([['import'], ['restore']])(
  '%s says that this user may not read a file in a closed folder, not that it does not exist, and refuses a pipe',
  async (command) => {
    const { dataDir } = await freshDatabase('sqlite');
    const settings = { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off' };
    expect(await runCommandProcess(['migrate'], { folder: dataDir, settings })).toMatchObject({ code: 0 });
    const home = mkdtempSync(join(folder, 'home-'));
    writeFileSync(join(home, 'file'), 'email\n');
    spawnSync('mkfifo', [join(home, 'pipe')]);
    const run = (name: string) => {
      const { status, stderr } = spawnUnprivileged(
        [join(import.meta.dirname, 'vestibule.ts'), command, join(home, name)],
        { cwd: dataDir, env: { PATH: process.env.PATH, ...settings }, timeout: minutes(5) },
      );
      return [status, String(stderr)];
    };
    expect(run('pipe')).toEqual([2, `${join(home, 'pipe')} is not a file\n`]);
    chmodSync(home, 0o000);
    const lacks = 'cannot be read: the user who runs this command lacks permission';
    expect(run('file')).toEqual([2, `${join(home, 'file')} ${lacks}\n`]);
    chmodSync(home, 0o700);
  },
);

test('`npm run vestibule` finds the files of the folder from which it is called', async () => {
  const { dataDir } = await migratedDatabase('sqlite');
  writeFileSync(join(folder, 'people.csv'), 'email\nada@mail.example\n');
  const settings = { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off', npm_lifecycle_event: 'vestibule', INIT_CWD: folder };
  const words = ['import', 'people.csv', '--dry-run'];
  expect(await runCommandProcess(words, { folder: dataDir, settings })).toMatchObject({
    code: 0,
    out: '1 would be added, 0 already exist, 0 would be refused\n',
  });
});

const toFull = test.runIf(existsSync('/dev/full'));

toFull('output that a full disk refuses is reported in one line, and the command fails', () => {
  const command = `"${process.execPath}" "${join(import.meta.dirname, 'vestibule.ts')}" --help > /dev/full`;
  const { stderr, status } = spawnSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toMatch(/^cannot write the output: ENOSPC[^\n]*\n$/);
  expect(status).toBe(1);
});

test.skipIf(process.platform === 'win32')('a reader of errors that closes the pipe early leaves the exit code', () => {
  const command = `("${process.execPath}" "${join(import.meta.dirname, 'vestibule.ts')}" nonsense; echo $? >&3) 2>&1 >/dev/null | true`;
  const { output } = spawnSync('sh', ['-c', command], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  expect(output[3]).toBe('2\n');
});

test.skipIf(process.platform === 'win32')('a reader that closes the pipe early causes no error output', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  const command = `"${process.execPath}" "${join(import.meta.dirname, 'vestibule.ts')}" --help | true`;
  const { stderr } = spawnSync('sh', ['-c', command], { cwd: dataDir, encoding: 'utf8' });
  expect(stderr).toBe('');
});

test('prepare renders the pages, so that the next start does not', async () => {
  const database = await freshDatabase('sqlite');
  const settings = {
    NODE_ENV: 'test',
    PUBLIC_URL: 'https://door.example',
    PHONE_CONFIRMATION: 'off',
    TRUSTED_PROXIES: '127.0.0.1',
    DATA_DIR: database.dataDir,
  };
  const prepare = async () => (await runCommand(['prepare', '--json'], { folder: database.dataDir, settings })).out;
  expect(JSON.parse(await prepare())).toMatchObject({ rendered: true });
  expect(JSON.parse(await prepare())).toMatchObject({ rendered: false });
  const service = await startProcess(database, { LOG_LEVEL: 'info' }, { rendersAnew: true });
  const messages = service.log().map(({ msg }) => String(msg));
  expect(messages.filter((msg) => msg.startsWith('rendering pages'))).toEqual([]);
  expect(messages.slice(0, 2)).toEqual(['starting: opening the database', 'the database is open']);
});
