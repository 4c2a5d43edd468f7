import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { platform } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { databaseFile } from '../store/sqlite/files.ts';
import { compileCache } from '../testing/caches.ts';
import { openClient, statusAndCode } from '../testing/client.ts';
import { freshDatabase, migratedDatabase } from '../testing/databases/databases.ts';
import { freePort } from '../testing/free-port.ts';
import { form, register, welcomeLink } from '../testing/people.ts';
import { currentProgram, shareRenderings, startProcess } from '../testing/process.ts';
import { openTestServer } from '../testing/test-server.ts';

/** The name and niceness of each thread: the 19th field of its `stat` (proc(5)), counted after the name. */
function threadsOf(pid: number): [name: string, niceness: number][] {
  if (platform() !== 'linux') return [];
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((id) => {
    const [, name = '', rest = ''] = /\((.*)\) (.*)/.exec(readFileSync(`${tasks}/${id}/stat`, 'utf8')) ?? [];
    return [name, Number(rest.split(' ')[16])];
  });
}

test('where threads have priorities, hash threads have a lower one than the others', async () => {
  const database = await freshDatabase('sqlite');
  const first = await startProcess(database, { LOG_LEVEL: 'silent' });
  await first.stop();
  // A later start does less, and may not have used these threads yet.
  const service = await startProcess(database, { LOG_LEVEL: 'silent' });
  const threads = threadsOf(service.pid);
  const nicenessOf = (wanted: boolean) => [
    ...new Set(threads.filter(([name]) => (name === 'libuv-worker') === wanted).map(([, niceness]) => niceness)),
  ];
  const [own] = nicenessOf(false);
  expect(nicenessOf(true)).toEqual(own === undefined ? [] : [Math.min(own + 10, 19)]);
});

const limited = test.runIf(process.platform === 'linux');

/** Opens connections that send `text` and stay open. */
async function hold(url: string, { count, text = '' }: { count: number; text?: string }): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname).on('error', () => undefined));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(
    sockets.map(async (socket) => {
      await once(socket, 'connect');
      socket.write(text);
    }),
  );
  return sockets;
}

limited('with 256 open files, 600 silent connections neither keep visitors out nor go unnoticed', async () => {
  const service = await startProcess(await freshDatabase('sqlite'), {}, { openFiles: 256 });
  const client = openClient(service.url);
  await hold(service.url, { count: 600 });
  expect(await client.post('/auth/register', form())).toSay('201');
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
  await expect
    .poll(() => service.log())
    .toContainEqual(
      expect.objectContaining({ level: 40, most: 182, msg: expect.stringContaining('raise LimitNOFILE') }),
    );
});

limited('a connection receives 503 while all others have a request in progress', async () => {
  const service = await startProcess(await freshDatabase('sqlite'), {}, { openFiles: 100 });
  const half = [
    'POST /computers/enrol HTTP/1.1',
    'Host: door.example',
    'Content-Type: application/json',
    'Content-Length: 9',
    // The service confirms that it has read the head of the request.
    'Expect: 100-continue',
    '',
    '',
  ].join('\r\n');
  const first = async ([socket]: Socket[]) => String((await once(socket as Socket, 'data'))[0]).split('\r\n', 2);
  for (let at = 0; at < 26; at += 1)
    expect(await first(await hold(service.url, { count: 1, text: half }))).toContain('HTTP/1.1 100 Continue');
  expect(await first(await hold(service.url, { count: 1 }))).toEqual([
    'HTTP/1.1 503 Service Unavailable',
    'Retry-After: 2',
  ]);
});

test.each(['', '-wal', '-shm'])(
  'while vestibule.sqlite%s is moved away, nothing is acknowledged, since a restart would lose it',
  async (suffix) => {
    const database = await migratedDatabase('sqlite');
    const service = await startProcess(database);
    const client = openClient(service.url);
    const register = async (email: string) => statusAndCode(await client.post('/auth/register', form({ email })));
    const readiness = async () => (await fetch(`${service.url}/readyz`)).status;
    expect(await register('before@example.com')).toMatch(/^201/);

    const file = `${databaseFile(database.dataDir)}${suffix}`;
    renameSync(file, `${file}.moved`);
    expect(await register('lost@example.com')).toBe('503 try_again_later');
    await expect.poll(readiness).toBe(503);
    expect(existsSync(file)).toBe(false);
    const says = expect.stringContaining(`${file} was moved, replaced or deleted`);
    await expect
      .poll(() => service.log().map(({ err }) => (err as { message?: string } | undefined)?.message))
      .toContainEqual(says);

    renameSync(`${file}.moved`, file);
    expect(await openClient(service.url).post('/auth/register', form({ email: 'after@example.com' }))).toHaveProperty(
      'status',
      201,
    );
    await expect.poll(readiness).toBe(200);
  },
);

test.runIf(existsSync('/dev/full'))('a full disk for the log neither stops nor blocks the service', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  shareRenderings(dataDir);
  const port = await freePort();
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const { PATH } = process.env;
  const service = spawn(process.execPath, [currentProgram('server')], {
    cwd: dataDir,
    env: {
      PATH,
      ...compileCache,
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: 'https://door.example',
      PHONE_CONFIRMATION: 'off',
    },
    stdio: ['ignore', full, 'inherit'],
  });
  onTestFinished(() => void service.kill('SIGKILL'));
  const ended = once(service, 'exit');
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(minutes(1)) }).then(
      ({ status }) => status,
      () => undefined,
    );
  await expect.poll(() => statusOf('/readyz'), { timeout: minutes(3) }).toBe(200);
  for (const path of ['/nowhere', '/nowhere/else', '/readyz']) expect(await statusOf(path)).toBeDefined();
  expect(await statusOf('/readyz')).toBe(200);
  service.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});

test('PORT=0 chooses a free port, which the greeting names', async () => {
  const service = await startProcess(await freshDatabase('sqlite'), { PORT: '0', PUBLIC_URL: '' });
  const url = /is ready: (http:\/\/localhost:[1-9]\d*)\//.exec(service.output())?.[1];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

// It renders every page anew.
test('DEVICES=off leaves accounts: no page, request or link for computers', async () => {
  const server = await openTestServer('sqlite', { DEVICES: 'off' }, { ownPages: true });
  const { browser, email } = await register(server, { locale: 'de' });
  expect((await browser.get('/additionally/way')).body).toEqual({ last_place: '/de/account/' });
  for (const path of ['/dashboard/', '/de/devices/', '/records/', '/computers/add/', '/alarms/', '/alarms/rules/'])
    expect((await browser.get(path)).status, path).toBe(404);
  expect(await browser.post('/computers/enrolments', {})).toSay('404 not_found');
  expect(await browser.put('/account/alarms/rules', {})).toSay('404 not_found');
  expect((await browser.get('/openapi.json')).body.paths).not.toHaveProperty('/computers');
  const { body } = await browser.get('/de/account/');
  expect(body).toContain('href="/de/account/security/"');
  expect(body).not.toMatch(/href="[^"]*\/(?:dashboard|records|alarms|add)\/"/);
  expect(body).not.toContain('href="/de/devices/"');
  expect(await welcomeLink(server, email)).not.toBe('');
  expect((await browser.get('/account/export')).status).toBe(200);
});
