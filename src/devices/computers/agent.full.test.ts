import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { machine, tmpdir, type } from 'node:os';
import { dirname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { minutes } from '../../contract/units.ts';
import type { Client } from '../../testing/client.ts';
import { testCertificate } from '../../testing/mail/certificates.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const testServer = await openTestServer('sqlite');
const { url } = testServer;
const agent = join(import.meta.dirname, '..', '..', '..', 'dist', 'agent', 'vestibule-agent.mjs');
const folders: string[] = [];
const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new computer: the agent's data folder, and functions that run the agent with it. */
function computer(environment: NodeJS.ProcessEnv = {}) {
  const data = mkdtempSync(join(tmpdir(), 'vestibule-agent-'));
  folders.push(data);
  const begin = (...args: string[]) => {
    const child = spawn(process.execPath, [agent, '--data', data, ...args], {
      env: { ...process.env, VESTIBULE_AGENT_BEAT_SECONDS: '0.2', ...environment },
    });
    running.add(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text;
      });
    const ended = new Promise<{ code: number | null; said: string }>((resolve) =>
      child.on('close', (code) => {
        running.delete(child);
        resolve({ code, said });
      }),
    );
    const stop = async () => {
      child.kill('SIGTERM');
      return (await ended).code;
    };
    return { child, ended, stop, said: () => said };
  };
  return { data, begin, ask: (...args: string[]) => begin(...args).ended };
}

const codeOf = async (browser: Client) => (await browser.post('/computers/enrolments')).body.code as string;
const recordsOf = async (browser: Client): Promise<{ text: string }[]> =>
  (await browser.get('/computers/records')).body.records;

const until = (condition: () => Promise<boolean>) => expect.poll(condition, { timeout: minutes(4) }).toBe(true);

/** An account with a computer that runs the agent. */
async function addedComputer(environment?: NodeJS.ProcessEnv) {
  const person = await register(testServer);
  const added = computer(environment);
  await added.ask('enrol', await codeOf(person.browser), '--server', url);
  return { ...person, ...added };
}

const textsOf = async (browser: Client) => (await recordsOf(browser)).map(({ text }) => text);

/** Starts a server, and returns its port. */
async function listen(server: Server | TlsServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  afterAll(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** Sends a request to the service, and its response back. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method = 'GET', headers, url: path = '/' } = incoming;
  incoming.pipe(
    request(url + path, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    }),
  );
}

/** A proxy between an agent and the service that can go down or lose responses. */
async function openGateway(target: string) {
  const gate = { isOpen: true, losesResponses: false };
  const server = createServer((incoming, outgoing) => {
    if (!gate.isOpen) return void outgoing.destroy();
    const { method = 'GET', headers, url = '/' } = incoming;
    const onward = request(target + url, { method, headers }, (response) => {
      if (gate.losesResponses) return void outgoing.destroy();
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  return { gate, url: `http://localhost:${await listen(server)}` };
}

it('the agent enrols with a code, sends records, prints its status, and removes its computer', async () => {
  const { browser } = await register(testServer);
  const { ask, begin } = computer();
  const added = await ask('enrol', await codeOf(browser), '--server', url, '--name', 'Büro');
  expect(added).toMatchObject({ code: 0, said: expect.stringContaining('Büro') });
  const run = begin('run');
  await until(async () => (await textsOf(browser)).includes('The agent was started.'));
  expect(await run.stop()).toBe(0);
  expect((await textsOf(browser))[0]).toBe('The agent was stopped.');
  expect(await ask('status')).toMatchObject({ code: 0, said: expect.stringContaining('Not sent yet: 0') });
  expect((await browser.get('/computers')).body.computers).toMatchObject([{ name: 'Büro', version: '1.3.0' }]);
  expect((await ask('remove')).code).toBe(0);
  expect((await browser.get('/computers')).body.computers).toEqual([]);
  expect(await ask('status')).toMatchObject({ code: 1, said: expect.stringContaining('not added yet') });
});

it.skipIf(process.platform !== 'linux')(
  'install adds the computer and a service, and uninstall undoes both',
  async () => {
    const { browser } = await register(testServer);
    const home = mkdtempSync(join(tmpdir(), 'vestibule-home-'));
    folders.push(home);
    // Stands in for a service manager, and records its commands.
    for (const name of ['systemctl', 'loginctl'])
      writeFileSync(join(home, name), `#!/bin/sh\necho "${name} $*" >> "${home}/log"\necho running\n`, { mode: 0o755 });
    const environment = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), PATH: `${home}:${process.env.PATH}` };
    const { ask } = computer(environment);
    const unit = join(home, 'config', 'systemd', 'user', 'vestibule-agent.service');
    const added = await ask('install', await codeOf(browser), '--server', url, '--name', 'Office', '--user');
    expect(added).toMatchObject({ code: 0, said: expect.stringContaining('To undo this, run: node') });
    expect(readFileSync(unit, 'utf8')).toMatch(/^ExecStart=.*"run" "--data"/m);
    expect(readFileSync(join(home, 'log'), 'utf8')).toContain('systemctl --user restart vestibule-agent.service');
    expect((await browser.get('/computers')).body.computers).toMatchObject([{ name: 'Office' }]);
    expect((await ask('uninstall', '--user')).code).toBe(0);
    expect(existsSync(unit)).toBe(false);
    expect((await browser.get('/computers')).body.computers).toEqual([]);
  },
);

it.each([
  ['a page that wants a sign-in', 200, {}, /Does this network want a sign-in first/],
  ['a pause of centuries', 503, { 'retry-after': '99999999999' }, /^Reporting to/],
])('an agent that gets %s does not hurry, keeps its records and stops', async (_, status, headers, words) => {
  const { browser } = await register(testServer);
  const gate = { isOpen: true, requests: 0 };
  const server = createServer((incoming, outgoing) => {
    gate.requests += 1;
    if (gate.isOpen) forward(incoming, outgoing);
    else outgoing.writeHead(status, headers).end('<html>');
  });
  const { ask, begin } = computer();
  const gateway = `http://localhost:${await listen(server)}`;
  expect((await ask('enrol', await codeOf(browser), '--server', gateway)).code).toBe(0);
  gate.isOpen = false;
  const run = begin('run');
  await until(async () => gate.requests > 2 && words.test(run.said()));
  const before = gate.requests;
  await pause(2000);
  // At once, it would be hundreds.
  expect(gate.requests - before).toBeLessThan(20);
  expect(await run.stop()).toBe(0);
  gate.isOpen = true;
  const again = begin('run');
  await until(async () => (await textsOf(browser)).includes('The agent was stopped.'));
  expect(await again.stop()).toBe(0);
});

it('an agent stops although a response does not come', async () => {
  const { browser } = await register(testServer);
  const gate = { isOpen: true };
  const server = createServer((incoming, outgoing) => {
    if (gate.isOpen) forward(incoming, outgoing);
  });
  const { ask, begin } = computer();
  await ask('enrol', await codeOf(browser), '--server', `http://localhost:${await listen(server)}`);
  gate.isOpen = false;
  const run = begin('run');
  await until(async () => /Reporting to/.test(run.said()));
  expect(await run.stop()).toBe(0);
});

it('a wrong option or folder is a sentence without a stack', async () => {
  const { ask, data } = computer();
  expect(await ask('enrol', 'CODE', '--server')).toMatchObject({
    code: 1,
    said: expect.stringMatching(/^Option '--server/),
  });
  writeFileSync(join(data, 'file'), '');
  const { code, said } = await ask('status', '--data', join(data, 'file'));
  expect([code, said]).toEqual([1, expect.stringMatching(/agent\.json: not a folder\.\n$/)]);
});

it('records from an outage arrive later, once, even after kill -9 and lost responses', async () => {
  const { browser } = await register(testServer);
  const gateway = await openGateway(url);
  const { ask, begin } = computer();
  expect((await ask('enrol', await codeOf(browser), '--server', gateway.url)).code).toBe(0);
  gateway.gate.isOpen = false;
  for (let time = 0; time < 2; time += 1) {
    const run = begin('run');
    const started = new RegExp(`Not sent yet: [${time + 1}-9]`);
    await until(async () => started.test((await ask('status')).said));
    run.child.kill('SIGKILL');
    await run.ended;
  }
  gateway.gate.isOpen = true;
  gateway.gate.losesResponses = true;
  const last = begin('run');
  await until(async () => (await recordsOf(browser)).length >= 2);
  gateway.gate.losesResponses = false;
  await until(async () => /Not sent yet: 0/.test((await ask('status')).said));
  await last.stop();
  const texts = await textsOf(browser);
  expect(texts.filter((text) => text === 'The agent was started.')).toHaveLength(3);
  expect(texts.filter((text) => text === 'The agent was stopped.')).toHaveLength(1);
});

it('a repeated command adds the computer once, although the response to the first one was lost', async () => {
  const { browser } = await register(testServer);
  const gateway = await openGateway(url);
  const { ask, data } = computer();
  const code = await codeOf(browser);
  const enrol = () => ask('enrol', code, '--server', gateway.url);
  gateway.gate.losesResponses = true;
  expect(await enrol()).toMatchObject({ code: 1, said: expect.stringContaining('does not respond') });
  gateway.gate.losesResponses = false;
  expect(await enrol()).toMatchObject({ code: 0 });
  expect((await browser.get('/computers')).body.computers).toHaveLength(1);
  expect(await ask('status')).toMatchObject({ code: 0, said: expect.stringContaining('The server answers') });
  expect(existsSync(join(data, 'enrolment.json'))).toBe(false);
});

it('a key adds a computer once, however often a script runs, and never brings a removed one back', async () => {
  const { browser } = await register(testServer);
  const keyed = await browser.post('/account/enrolment-keys', { name: 'Berlin', max_uses: 2, days: 7 });
  const [first, second, third] = [computer(), computer(), computer()];
  const words = ['enrol', keyed.body.secret, '--server', url];
  expect(await first.ask(...words, '--name', 'First')).toMatchObject({ code: 0 });
  expect(await first.ask(...words)).toMatchObject({ code: 0, said: expect.stringContaining('already added') });
  expect(await second.ask(...words, '--name', 'Second')).toMatchObject({ code: 0 });
  expect(await third.ask(...words)).toMatchObject({
    code: 1,
    said: expect.stringContaining('added all the computers'),
  });
  const { computers } = (await browser.get('/computers')).body;
  expect(computers).toMatchObject([{ name: 'First' }, { name: 'Second' }]);
  await browser.send('DELETE', `/computers/${computers[0].id}`, {});
  const removed = { code: 77, said: expect.stringContaining('was removed from the account') };
  expect(await first.ask('run')).toMatchObject(removed);
  expect(await first.ask(...words)).toMatchObject(removed);
  await browser.send('DELETE', `/account/enrolment-keys/${keyed.body.key.id}`, {});
  expect(await third.ask(...words)).toMatchObject({ code: 1, said: expect.stringContaining('was revoked') });
  // A code is for this one computer, so it does.
  expect(await first.ask('enrol', await codeOf(browser), '--server', url)).toMatchObject({ code: 0 });
});

it.skipIf(process.platform !== 'linux')('the script in the documents adds a computer, and only once', async () => {
  const { url, config } = testServer;
  const { browser } = await register(testServer);
  const published = join(config.DATA_DIR, 'agents');
  mkdirSync(published);
  // Stands in for the executable.
  writeFileSync(
    join(published, `vestibule-agent-${type()}-${machine()}`),
    `#!/bin/sh\nexec "${process.execPath}" "${agent}" "$@"\n`,
  );
  const keyed = await browser.post('/account/enrolment-keys', { name: 'Berlin', max_uses: 5, days: 7 });
  const documented = readFileSync(join(import.meta.dirname, '../../../docs/many-computers.md'), 'utf8');
  const script = /```sh add-computer.sh\n(.*?)```/s.exec(documented)?.[1] ?? '';
  const folder = programs({ systemctl: 'echo running', loginctl: 'exit 0' });
  writeFileSync(
    join(folder, 'add-computer.sh'),
    // For root, the service would belong to this machine.
    script
      .replace('https://account.example.com', url)
      .replace(/vk_\w+/, keyed.body.secret)
      .replace(' install ', ' install --user '),
  );
  const environment = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    VESTIBULE_AGENT_DATA: join(folder, 'data'),
    PATH: `${folder}:${dirname(process.execPath)}:${process.env.PATH}`,
  };
  const add = async () => {
    const child = spawn('sh', [join(folder, 'add-computer.sh')], { env: { ...process.env, ...environment } });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        said += text;
      });
    const code = await new Promise((done) => child.on('close', done));
    return { code, said };
  };
  expect(await add()).toMatchObject({ code: 0, said: expect.stringContaining('Added as') });
  expect(await add()).toMatchObject({ code: 0, said: expect.stringContaining('already added') });
  expect((await browser.get('/computers')).body.computers).toHaveLength(1);
});

it('an agent with a key waits for a busy service', async () => {
  const { browser } = await register(testServer);
  let refused = 0;
  const busy = createServer((incoming, outgoing) => {
    refused += 1;
    if (refused < 3) return void outgoing.writeHead(503, { 'retry-after': '1' }).end();
    forward(incoming, outgoing);
  });
  const keyed = await browser.post('/account/enrolment-keys', { name: 'Berlin', max_uses: 2, days: 7 });
  const there = `http://localhost:${await listen(busy)}`;
  expect(await computer().ask('enrol', keyed.body.secret, '--server', there)).toMatchObject({ code: 0 });
});

it('the agent keeps records beyond the limit of a day, and sends heartbeats meanwhile', async () => {
  const limited = await openTestServer('sqlite', { RECORDS_PER_COMPUTER_PER_DAY: '100' });
  const { browser } = await register(limited);
  const { ask, begin, data } = computer();
  await ask('enrol', await codeOf(browser), '--server', limited.url);
  const records = Array.from({ length: 120 }, (_, id) => ({
    id: `${id}`,
    at: limited.now(),
    kind: 'start',
    text: `${id}`,
  }));
  writeFileSync(join(data, 'spool.jsonl'), records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const run = begin('run');
  const version = async () => (await browser.get('/computers')).body.computers[0]?.version;
  await until(async () => (await version()) === '1.3.0');
  expect(await run.stop()).toBe(0);
  // 120, its start and its stop, without the two batches of 50 that the service accepted.
  expect((await ask('status')).said).toContain('Not sent yet: 22');
});

it('the agent exits with the reason once its computer is removed, and forgets the token', async () => {
  const { browser, ask, begin, data } = await addedComputer();
  const run = begin('run');
  await until(async () => (await recordsOf(browser)).length > 0);
  const [{ id }] = (await browser.get('/computers')).body.computers;
  expect((await browser.send('DELETE', `/computers/${id}`, {})).status).toBe(204);
  expect(await run.ended).toMatchObject({ code: 77, said: expect.stringContaining('was removed from the account') });
  expect(readdirSync(data).filter((file) => file !== 'network.json')).toEqual(['removed.json']);
  expect(await ask('run')).toMatchObject({ code: 77, said: expect.stringContaining('not added yet') });
});

it('the agent reports from memory what it cannot write, each record once, and survives damaged files', async () => {
  const { browser, ask, begin, data } = await addedComputer();
  // Fails for root, too: no record and no state can be written.
  for (const name of ['spool.jsonl', 'seen.json.new']) mkdirSync(join(data, name));
  writeFileSync(join(data, 'seen.json'), '{"disk":');
  const run = begin('run');
  await until(async () => (await textsOf(browser)).includes('The agent was started.'));
  await until(async () => /records are sent from memory/.test(run.said()));
  expect(await run.stop()).toBe(0);
  expect(await textsOf(browser)).toEqual(['The agent was stopped.', 'The agent was started.']);

  rmSync(join(data, 'spool.jsonl'), { recursive: true });
  const whole = { id: 'whole', at: new Date().toISOString(), kind: 'door', text: 'Opened.' };
  const lines = ['null', '7', '{"id":"half', JSON.stringify({ ...whole, id: 'refused', kind: 'x'.repeat(100) })];
  writeFileSync(join(data, 'spool.jsonl'), [...lines, JSON.stringify(whole), JSON.stringify(whole)].join('\n'));
  const again = begin('run');
  await until(async () => (await textsOf(browser)).includes('Opened.'));
  await until(async () => /Not sent yet: 0/.test((await ask('status')).said));
  expect(await again.stop()).toBe(0);
  expect((await textsOf(browser)).filter((text) => text === 'Opened.')).toHaveLength(1);
});

/** A folder of programs that stand in for those of systemd. */
function programs(texts: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-programs-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return folder;
}

it.skipIf(process.platform !== 'linux').each([
  ['12 reboot.target start waiting', { reason: 'restart', returns_in: expect.any(Number) }],
  ['12 poweroff.target start waiting', { reason: 'shutdown', returns_in: null }],
  ['12 vestibule-agent.service restart running', { reason: 'update', returns_in: expect.any(Number) }],
  ['12 vestibule-agent.service stop running', { reason: 'stop', returns_in: null }],
  ['12 cups.service restart running', { reason: 'stop', returns_in: null }],
])('the agent says goodbye while systemd runs the job “%s”', async (job, off) => {
  const PATH = `${programs({ systemctl: `echo "${job}"` })}:${process.env.PATH}`;
  const { browser, begin } = await addedComputer({ PATH });
  const run = begin('run');
  await until(async () => (await textsOf(browser)).includes('The agent was started.'));
  expect(await run.stop()).toBe(0);
  expect((await browser.get('/computers')).body.computers).toMatchObject([{ off }]);
});

it.skipIf(process.platform !== 'linux')(
  'the agent says goodbye before a suspend, and reports again after it',
  async () => {
    const signal = (isBefore: boolean) => `echo "/org/freedesktop/login1: ….PrepareForSleep (${isBefore},)"`;
    const told = mkdtempSync(join(tmpdir(), 'vestibule-told-'));
    folders.push(told);
    const PATH = `${programs({
      gdbus: `while [ ! -e "${told}/sleep" ]; do sleep 0.1; done; ${signal(true)}
while [ ! -e "${told}/wake" ]; do sleep 0.1; done; ${signal(false)}; exec sleep 600`,
      'systemd-inhibit': `touch "${told}/held"; cat; touch "${told}/released"`,
    })}:${process.env.PATH}`;
    const { browser, begin } = await addedComputer({ PATH });
    const run = begin('run');
    const off = async () => (await browser.get('/computers')).body.computers[0].off;
    await until(async () => existsSync(join(told, 'held')) && (await recordsOf(browser)).length > 0);
    writeFileSync(join(told, 'sleep'), '');
    await until(async () => existsSync(join(told, 'released')));
    expect(await off()).toEqual({ reason: 'suspend', returns_in: null });
    writeFileSync(join(told, 'wake'), '');
    await until(async () => (await off()) === null);
    expect(await run.stop()).toBe(0);
    const woke = ['The computer goes to sleep.', 'The computer woke up.'];
    expect(await textsOf(browser)).toEqual(expect.arrayContaining(woke));
  },
);

it('the agent trusts a private authority, uses a proxy, and keeps both for its service', async () => {
  const { browser } = await register(testServer);
  const tls = createTlsServer(testCertificate, forward);
  const passwords: (string | undefined)[] = [];
  const proxy = createServer().on('connect', (incoming: IncomingMessage, socket: Duplex) => {
    passwords.push(incoming.headers['proxy-authorization']);
    const isNamed = incoming.headers['proxy-authorization'] !== undefined;
    if (!isNamed) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const onward = connect(Number(incoming.url?.split(':')[1]), 'localhost', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  const server = `https://localhost:${await listen(tls)}`;
  const proxyPort = await listen(proxy);
  const none = { NO_PROXY: '', no_proxy: '', NODE_EXTRA_CA_CERTS: '', VESTIBULE_AGENT_BEAT_SECONDS: '0.2' };
  const first = computer(none);
  const authority = join(first.data, 'authority.pem');
  writeFileSync(authority, testCertificate.cert);
  const code = await codeOf(browser);
  const untrusted = await first.ask('enrol', code, '--server', server);
  expect(untrusted).toMatchObject({ code: 1, said: expect.stringMatching(/not trusted .*--ca FILE/) });
  const behind = (user: string) => computer({ ...none, HTTPS_PROXY: `http://${user}localhost:${proxyPort}` });
  const refused = await behind('').ask('enrol', code, '--server', server, '--ca', authority);
  expect(refused).toMatchObject({ code: 1, said: expect.stringContaining('asks for a name and a password') });
  const installed = behind('ann:s%40fe@');
  expect(await installed.ask('enrol', code, '--server', server, '--ca', authority)).toMatchObject({ code: 0 });
  // The service starts without these variables.
  const service = await computer(none).ask('status', '--data', installed.data);
  expect(service).toMatchObject({ code: 0, said: expect.stringContaining('The server answers') });
  expect(passwords.slice(1)).toEqual(Array(3).fill(`Basic ${btoa('ann:s@fe')}`));
});

it('a copy of a computer is noticed, removes nothing of the other, and is added anew', async () => {
  const { browser } = await register(testServer);
  const [original, copy] = [computer(), computer()];
  await original.ask('enrol', await codeOf(browser), '--server', url, '--name', 'Original');
  cpSync(original.data, copy.data, { recursive: true });
  const runs = [original.begin('run'), copy.begin('run')];
  await until(async () => (await browser.get('/computers')).body.computers[0].copied);
  for (const run of runs) run.child.kill('SIGTERM');
  for (const run of runs) expect((await run.ended).code).toBe(0);
  expect(await copy.ask('uninstall')).toMatchObject({ code: 1, said: expect.stringContaining('uninstall --keep') });
  const enrol = async (...words: string[]) =>
    copy.ask('enrol', await codeOf(browser), '--server', url, '--name', 'Copy', ...words);
  expect(await enrol()).toMatchObject({ code: 1, said: expect.stringContaining('--keep') });
  expect(await enrol('--keep')).toMatchObject({ code: 0 });
  expect((await original.ask('remove', '--keep')).code).toBe(0);
  expect((await browser.get('/computers')).body.computers).toMatchObject([{ name: 'Original' }, { name: 'Copy' }]);
});

it('a response of a proxy that is no answer of the service does not end the agent', async () => {
  const { ask, begin, data } = await addedComputer();
  const portal = createServer(
    (_, response) => void response.writeHead(401, { 'content-type': 'text/html' }).end('Sign in'),
  );
  const settings = JSON.parse(readFileSync(join(data, 'agent.json'), 'utf8'));
  const server = `http://localhost:${await listen(portal)}`;
  writeFileSync(join(data, 'agent.json'), JSON.stringify({ ...settings, server }));
  expect(await ask('status')).toMatchObject({ code: 1, said: expect.stringContaining('refused: 401') });
  const run = begin('run');
  await until(async () => run.said().includes('Reporting to'));
  expect(await run.stop()).toBe(0);
  expect(existsSync(join(data, 'agent.json'))).toBe(true);
});

it('the agent keeps its token while the account is to be deleted, and reports again once its owner returns', async () => {
  const { browser, email, ask, begin } = await addedComputer();
  const run = begin('run');
  await until(async () => (await recordsOf(browser)).length > 0);
  expect((await browser.send('DELETE', '/account', { body: { password } })).status).toBe(204);
  await until(async () => /deletion of the account is planned/.test(run.said()));
  const kept = { code: 1, said: expect.stringContaining('deletion of the account is planned') };
  expect(await ask('status')).toMatchObject(kept);
  expect(await ask('remove')).toMatchObject(kept);
  await browser.post('/auth/login', { email, password });
  await until(async () => /Reporting again/.test(run.said()));
  expect(await run.stop()).toBe(0);
  expect((await textsOf(browser)).sort()).toEqual(['The agent was started.', 'The agent was stopped.']);
});

it.each([
  ['a missing code', ['enrol'], 'Usage'],
  ['an invalid code', ['enrol', 'X', '--server', 'URL'], 'no longer valid'],
  ['a server without TLS', ['enrol', 'X', '--server', 'http://example.com'], 'https://'],
  ['a missing server', ['enrol', 'X'], 'https://'],
  ['a name that does not exist', ['enrol', 'X', '--server', 'https://nowhere.invalid'], 'The name nowhere.invalid'],
  ['an unreachable server', ['enrol', 'X', '--server', 'http://127.0.0.1:9'], 'does not respond'],
])('the agent explains %s', async (_what, args, words) => {
  const { ask } = computer();
  const response = await ask(...args.map((arg) => (arg === 'URL' ? url : arg)));
  expect(response).toMatchObject({ code: 1, said: expect.stringContaining(words) });
});
