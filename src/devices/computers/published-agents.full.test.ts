import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import type { Client } from '../../testing/client.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const project = join(import.meta.dirname, '..', '..', '..');
const script = 'vestibule-agent.mjs';
const built = readFileSync(join(project, 'dist', 'agent', script), 'utf8');
const executable = `vestibule-agent-Linux-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}`;

const work = mkdtempSync(join(tmpdir(), 'vestibule-published-'));
const running = new Set<ChildProcess>();
let isOver = false;
afterAll(() => {
  isOver = true;
  for (const child of running) child.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
});

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + minutes(4);
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within four minutes: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** A service with a key for many computers, and what `npm run agents` does for it. */
async function openPublisher() {
  const server = await openTestServer('sqlite');
  const { browser } = await register(server);
  const { secret } = (await browser.post('/account/enrolment-keys', { name: 'All', max_uses: 9, days: 1 })).body;
  const folder = join(server.config.DATA_DIR, 'agents');
  mkdirSync(folder);
  const key = join(server.config.DATA_DIR, 'agents.key.pem');
  const agents = (...words: string[]) =>
    promisify(execFile)(process.execPath, [
      join(project, 'bin', 'agents.ts'),
      '--folder',
      folder,
      '--key',
      key,
      ...words,
    ]);
  const publish = async (text: string) => {
    writeFileSync(join(folder, script), text);
    await agents('sign');
    await agents('share', '100');
  };
  return { server, browser, secret, folder, key, agents, publish };
}

const listed = async (browser: Client) => (await browser.get('/computers')).body.computers;
const textsOf = async (browser: Client): Promise<string[]> =>
  (await browser.get('/computers/records')).body.records.map(({ text }: { text: string }) => text);

/** A computer whose service manager starts the installed copy again, as systemd does. */
function computer(file: string, environment: NodeJS.ProcessEnv) {
  const data = mkdtempSync(join(work, 'computer-'));
  const env = { ...environment, VESTIBULE_AGENT_BEAT_SECONDS: '1', VESTIBULE_AGENT_UPDATE_SECONDS: '3' };
  const commandOf = (program: string) => (program.endsWith('.mjs') ? [process.execPath, program] : [program]);
  const start = (program: string, ...words: string[]) => {
    const [name = '', ...first] = commandOf(program);
    const child = spawn(name, [...first, ...words, '--data', data], { env, stdio: 'inherit' });
    running.add(child);
    const ended = new Promise<number | null>((resolve) =>
      child
        .on('error', () => undefined)
        .on('close', (code) => {
          running.delete(child);
          resolve(code);
        }),
    );
    return { child, ended };
  };
  let current: ReturnType<typeof start> | undefined;
  let isStopped = false;
  const codes: (number | null)[] = [];
  const manage = async (program: string) => {
    while (!isStopped && !isOver) {
      current = start(program, 'run');
      codes.push(await current.ended);
    }
  };
  return {
    data,
    codes,
    installed: join(data, file),
    start,
    manage,
    async stop() {
      isStopped = true;
      current?.child.kill('SIGTERM');
      await current?.ended;
    },
  };
}

test('updates need the kept signature, replace what reports, and keep the former version otherwise', async () => {
  const { server, browser, secret, folder, publish, agents } = await openPublisher();
  await publish(built);
  const own = computer(script, process.env);
  // Without a service manager, `install` reports itself.
  const installing = own.start(join(project, 'dist', 'agent', script), 'install', secret, '--server', server.url);
  await until('installed', async () => (await textsOf(browser)).includes('The agent was started.'));
  installing.child.kill('SIGTERM');
  await installing.ended;
  void own.manage(own.installed);
  const versionIs = (version: string) => async () => (await listed(browser))[0]?.version === version;
  const said = (text: string) => async () => (await textsOf(browser)).some((one) => one.includes(text));
  /** Longer than an agent waits between two looks for an update. */
  const looks = () => new Promise((resolve) => setTimeout(resolve, 8000));
  const asVersion = (version: string) => built.replace(/(?<=^const version = ')[^']+/m, version);

  await publish(asVersion('1.4.0'));
  await until('updated', said('The agent was updated to version 1.4.0.'));
  expect(own.codes).toEqual([75]);

  await publish(asVersion('1.5.0').replace('async function printStatus() {', '$& process.exit(1);'));
  await until('refused', said('Version 1.5.0 of the agent cannot report: 1.4.0 stays.'));
  expect(own.codes).toEqual([75]);

  await publish(asVersion('1.6.0').replace('= beginTrial();', '$& process.exit(9);'));
  await until('rolled back', said('Version 1.6.0 of the agent cannot report: the former one is back.'));
  await until('reporting again', versionIs('1.4.0'));

  // Someone else controls the service, but not the key.
  rmSync(join(folder, 'key.pem'));
  writeFileSync(join(folder, script), asVersion('1.7.0'));
  await agents('sign', '--key', join(work, 'forged.pem'));
  const before = own.codes.length;
  await looks();
  await publish(asVersion('1.0.0'));
  await looks();
  expect(own.codes).toHaveLength(before);

  await publish(asVersion('1.8.0'));
  await until('updated again', versionIs('1.8.0'));
  const [{ off, copied }] = await listed(browser);
  expect([off, copied]).toEqual([null, false]);
  // None of it looks like an unexpected stop.
  const ends: string[] = (await browser.get('/computers/records?limit=200')).body.records.flatMap(
    ({ kind }: { kind: string }) => (['start', 'stop'].includes(kind) ? [kind] : []),
  );
  expect(ends.filter((kind, at) => kind === 'start' && ends[at + 1] === 'start')).toEqual([]);
  await own.stop();
});

test.skipIf(process.platform !== 'linux')(
  'the executable adds a computer without Node, updates itself, and says goodbye',
  async () => {
    const { server, browser, secret, folder, agents } = await openPublisher();
    await agents('build', '--only', executable);
    const empty = mkdtempSync(join(work, 'empty-'));
    const own = computer('vestibule-agent', { PATH: empty, HOME: empty });
    const installing = own.start(join(folder, executable), 'install', secret, '--server', server.url, '--name', 'Desk');
    await until('installed', async () => (await textsOf(browser)).includes('The agent was started.'));
    installing.child.kill('SIGTERM');
    expect(await installing.ended).toBe(0);
    expect(await listed(browser)).toMatchObject([{ name: 'Desk', platform: 'linux', off: { reason: 'stop' } }]);

    // Another file that does the same.
    appendFileSync(join(folder, executable), '\n');
    await agents('sign');
    void own.manage(own.installed);
    await until('updated', async () => (await textsOf(browser)).some((text) => text.includes('was updated')));
    expect(readFileSync(own.installed).equals(readFileSync(join(folder, executable)))).toBe(true);
    await own.stop();
    expect(await listed(browser)).toMatchObject([{ off: { reason: 'stop' } }]);
  },
);
