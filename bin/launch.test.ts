import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SettingsError } from '../src/contract/settings.ts';
import { readConfig } from '../src/server/settings/config.ts';
import { nodePackage } from './steps/places.mjs';
import { missingSettings } from './steps/required-settings.mjs';

/** An npm that installs what the folder `registry` contains; older releases of npm do not link Node either. */
const npm = `
const { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } = require('node:fs');
const end = (code) => { rmSync('npm-runs'); process.exit(code); };
if (existsSync('npm-runs')) { console.error('another npm runs'); process.exit(1); }
process.on('SIGINT', () => setTimeout(() => { writeFileSync('npm-cleaned-up', ''); end(130); }, 500));
writeFileSync('npm-runs', '');
appendFileSync('npm-log', process.argv.slice(2, 4).join(' ') + '\\n');
if (existsSync('npm-says')) { console.error(require('node:fs').readFileSync('npm-says', 'utf8')); end(1); }
setTimeout(() => {
  rmSync('node_modules', { recursive: true, force: true });
  cpSync('registry', 'node_modules', { recursive: true, verbatimSymlinks: true });
  end(0);
}, existsSync('npm-is-slow') ? 600000 : 500);
`;

const build = `
import { mkdirSync } from 'node:fs';
for (const product of ['messages', 'agent', 'client', 'prerender', 'gallery', 'server']) mkdirSync('dist/' + product, { recursive: true });
`;

/** A checkout of a small project that has not been installed. */
function checkOut(name = 'vestibule launch-') {
  const folder = mkdtempSync(join(tmpdir(), name));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const path = (...parts: string[]) => join(folder, ...parts);
  const write = (file: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
    chmodSync(path(file), mode);
  };
  cpSync('bin', path('bin'), { recursive: true });
  write('bin/steps/build.ts', build);
  write('npm-cli.js', npm);
  write('package.json', '{"name":"small","type":"commonjs"}');
  write('bin/package.json', '{"type":"module"}');
  write('bin/program.mjs', 'console.log("runs", process.execPath, ...process.argv.slice(2));');
  const node = `node_modules/${nodePackage}`;
  const locked = {
    packages: { [node]: { version: '1.0.0', optional: true, os: process.platform, cpu: process.arch } },
  };
  write('package-lock.json', JSON.stringify(locked));
  write('registry/.package-lock.json', JSON.stringify(locked));
  write(`registry/${nodePackage}/package.json`, '{}');
  mkdirSync(path('registry', nodePackage ?? '', 'bin'));
  symlinkSync(process.execPath, path('registry', nodePackage ?? '', 'bin', 'node'));
  const launch = (words: readonly string[], program: readonly string[]) => {
    const env = { PATH: process.env.PATH, npm_execpath: path('npm-cli.js'), npm_node_execpath: process.execPath };
    return spawn(process.execPath, [...words, path('bin', 'launch.mjs'), ...program], {
      cwd: folder,
      env,
      detached: true,
    });
  };
  const start = (...words: string[]) => launch(words, ['bin/program.mjs', 'one', '--two']);
  const serve = () => launch([], ['bin/serve.mjs']);
  return { path, write, start, serve };
}

/** Replaces the Node that npm installs by a program that does not run here. */
const brokenNode =
  (text: string, mode = 0o755) =>
  ({ path, write }: ReturnType<typeof checkOut>) => {
    rmSync(path('registry', nodePackage ?? '', 'bin', 'node'));
    write(`registry/${nodePackage}/bin/node`, text, mode);
  };

function ended(child: ChildProcess) {
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => {
      printed += text;
    });
  return new Promise<{ code: number | null; printed: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, printed })),
  );
}

test('installs, builds and runs the program under the pinned Node, without hooks or links of npm', async () => {
  const project = checkOut();
  const first = await ended(project.start());
  expect(first).toMatchObject({ code: 0 });
  expect(first.printed).toContain('Installing packages');
  expect(first.printed).toContain('Building');
  expect(first.printed).toMatch(/runs \S+ one --two/);
  expect(existsSync(project.path('node_modules', '.bin', 'node'))).toBe(true);
  const second = await ended(project.start());
  expect(second).toMatchObject({ code: 0 });
  expect(second.printed).toMatch(/^runs \S+ one --two\n$/);
  expect(readFileSync(project.path('npm-log'), 'utf8')).toBe('ci --omit=dev\n');
});

const shell = '#!/bin/sh\n';
const problems: [string, (project: ReturnType<typeof checkOut>) => void, string][] = [
  [
    'libatomic is missing',
    brokenNode(`${shell}echo "node: error while loading shared libraries: libatomic.so.1: cannot open" >&2; exit 127`),
    'needs the system library libatomic',
  ],
  [
    'glibc is too old',
    brokenNode(`${shell}echo "node: /lib/libm.so.6: version 'GLIBC_2.28' not found" >&2; exit 1`),
    'lacks GLIBC_2.28',
  ],
  ['there is no glibc', brokenNode('#!/lib/ld-linux-nowhere.so.2\n'), 'This system has no glibc'],
  ['programs may not run there', brokenNode('', 0o644), 'mounted with “noexec”'],
  ['Node is for another processor', brokenNode('\x7fELF\x02\x01\x01\0\0\0\0\0'), 'is for another processor'],
  ['memory is short', brokenNode(`${shell}kill -9 $$`), 'there is not enough memory'],
  [
    'npm leaves out the package of Node',
    ({ path, write }) => {
      rmSync(path('registry', nodePackage ?? ''), { recursive: true });
      write('registry/.package-lock.json', '{"packages":{}}');
    },
    `npm left out packages that this system needs (${nodePackage}). Update npm`,
  ],
  [
    'npm leaves out another optional package for this system',
    ({ path, write }) => {
      const { packages } = JSON.parse(readFileSync(path('package-lock.json'), 'utf8'));
      const { platform, arch } = process;
      packages['node_modules/binding'] = { version: '2.0.0', optional: true, os: [platform], cpu: [arch] };
      packages['node_modules/elsewhere'] = { version: '2.0.0', optional: true, os: ['aix'], cpu: [arch] };
      packages['node_modules/for-any'] = { version: '2.0.0', optional: true };
      write('package-lock.json', JSON.stringify({ packages }));
    },
    'npm left out packages that this system needs (binding)',
  ],
  [
    'npm cannot write to its cache',
    ({ write }) => write('npm-says', 'npm error code EACCES\nnpm error path /home/ann/.npm/_cacache/tmp'),
    'npm cannot write to its own cache',
  ],
  [
    'another program changes node_modules',
    ({ write }) => write('npm-says', 'npm error code ENOTEMPTY\nnpm error path node_modules/vite'),
    'Another program writes to the folder node_modules',
  ],
  [
    'a download is cut off',
    ({ write }) => write('npm-says', 'npm error Unexpected end of JSON input while parsing near'),
    'A download was cut off',
  ],
  [
    'the build is killed',
    ({ write }) => write('bin/steps/build.ts', "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});"),
    'The build was ended by SIGKILL: there is not enough memory',
  ],
];

test.each(problems)('says so in one sentence if %s', async (_problem, arrange, sentence) => {
  const project = checkOut();
  arrange(project);
  const { code, printed } = await ended(project.start());
  expect(printed).toContain(sentence);
  expect(printed).not.toMatch(/^ {4}at /m);
  expect(code).toBe(1);
});

test('refuses a Node that cannot install the packages before it installs any', async () => {
  const project = checkOut();
  project.write('old.cjs', "Object.defineProperty(process.versions, 'node', { value: '18.20.4' });");
  const { code, printed } = await ended(project.start('--require', project.path('old.cjs')));
  expect(printed.trim()).toBe(
    'Node 18.20.4 is too old to install Vestibule. Install Node 20 or newer from https://nodejs.org.',
  );
  expect([code, existsSync(project.path('npm-log'))]).toEqual([1, false]);
});

test.each(['#', '?'])(
  'refuses to build in a folder with %s in its path before it installs anything',
  async (character) => {
    const project = checkOut(`vestibule ${character}1-`);
    const { code, printed } = await ended(project.start());
    expect(printed).toContain(`Vestibule cannot be built in a folder with “${character}” in its path`);
    expect(printed).not.toMatch(/^ {4}at /m);
    expect([code, existsSync(project.path('npm-log'))]).toEqual([1, false]);
  },
);

test('continues if dist is removed while it builds', async () => {
  const project = checkOut();
  project.write(
    'bin/steps/build.ts',
    `import { rmSync } from 'node:fs';
rmSync('dist', { recursive: true });
await new Promise((resolve) => setTimeout(resolve, 1500));
${build}`,
  );
  const { code, printed } = await ended(project.start());
  expect(printed).not.toMatch(/^ {4}at /m);
  expect(code).toBe(0);
});

test('names missing settings of a production start before it installs anything', async () => {
  const project = checkOut();
  project.write('.env', '\uFEFFNODE_ENV=production\nPHONE_CONFIRMATION=off\nPUBLIC_URL=https://account.example.com\n');
  const { code, printed } = await ended(project.serve());
  expect(printed.trim()).toBe('Vestibule cannot start in production without SMTP_URL (docs/install.md).');
  expect([code, existsSync(project.path('npm-log'))]).toEqual([1, false]);
});

test('of two first starts, one waits for the other', async () => {
  const project = checkOut();
  const both = await Promise.all([ended(project.start()), ended(project.start())]);
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(both.filter(({ printed }) => printed.includes('waiting'))).toHaveLength(1);
  expect(readFileSync(project.path('npm-log'), 'utf8')).toBe('ci --omit=dev\n');
});

test('continues if an earlier start was killed while it installed', async () => {
  const project = checkOut();
  const killed = project.start('-e', '0');
  await ended(killed);
  project.write('dist/setup.lock', String(killed.pid));
  expect(await ended(project.start())).toMatchObject({ code: 0 });
});

test('after Ctrl+C it ends when npm has ended, so that the next start finds no other npm', async () => {
  const project = checkOut();
  project.write('npm-is-slow', '');
  const child = project.start();
  const end = ended(child);
  await expect.poll(() => existsSync(project.path('npm-runs'))).toBe(true);
  // A terminal sends the signal to the whole group.
  process.kill(-(child.pid as number), 'SIGINT');
  expect(await end).toMatchObject({ code: 130 });
  expect(existsSync(project.path('npm-cleaned-up'))).toBe(true);
  expect(existsSync(project.path('dist', 'setup.lock'))).toBe(false);
});

/** Settings that the service itself calls missing. */
function refused(environment: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n').flatMap((line) => /(\w+): must be set in production/.exec(line)?.[1] ?? []);
  }
}

const production = { NODE_ENV: 'production' };

test.each<Readonly<Record<string, string>>>([
  {},
  { NODE_ENV: 'test' },
  production,
  { ...production, PHONE_CONFIRMATION: 'off', PUBLIC_URL: ' ' },
  { ...production, DATABASE_URL: 'postgres://a@b/c', SMTP_URL: 'smtp://mail.example.com' },
  { ...production, PHONE_CONFIRMATION: 'off', PUBLIC_URL: 'https://a.example', SMTP_URL: 'smtp://mail.example.com' },
])('the settings that an install asks for are those that the service misses with %j', (environment) => {
  expect(missingSettings(environment)).toEqual(refused(environment));
});
