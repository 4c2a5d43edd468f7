import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type ClientRequest, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../store/database.ts';
import { startCallServer } from '../testing/call-server.ts';
import { openClient } from '../testing/client.ts';
import { freshDatabase } from '../testing/databases/databases.ts';
import { freePort } from '../testing/free-port.ts';
import { account, eventually, postRecovery } from '../testing/outbox.ts';
import { currentProgram, shareRenderings } from '../testing/process.ts';
import { newSecret, writeWebhooksFile } from '../testing/webhook-receiver.ts';

const program = currentProgram('server');

interface Running {
  readonly port: number;
  readonly dataDir: string;
  readonly child: ChildProcess;
  /** Resolves with its exit code and signal. */
  readonly ended: Promise<unknown[]>;
}

/** The service as a service manager runs it, with a mail server that accepts connections and never responds. */
async function start(settings: Record<string, string> = {}): Promise<Running> {
  const { dataDir } = await freshDatabase('sqlite');
  shareRenderings(dataDir);
  const heard: Socket[] = [];
  const mute = createServer((socket) => heard.push(socket.on('error', () => undefined))).listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const port = await freePort();
  const { PATH, SystemRoot } = process.env;
  const child = spawn(process.execPath, [program], {
    cwd: dataDir,
    env: {
      PATH,
      SystemRoot,
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://door.example',
      PHONE_CONFIRMATION: 'off',
      SMTP_URL: `smtp://127.0.0.1:${(mute.address() as { port: number }).port}`,
      DATA_DIR: dataDir,
      PORT: String(port),
      ...settings,
    },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    for (const socket of heard) socket.destroy();
    mute.close();
  });
  const ended = once(child, 'exit');
  child.stderr?.resume();
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (text) => {
      if (/Server listening/.test(String(text))) resolve();
    });
  });
  return { port, dataDir, child, ended };
}

interface ReceivedResponse {
  readonly status: number;
  readonly connection: string | undefined;
}

const get = (port: number, path: string, agent?: Agent): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const sent: ClientRequest = request({ port, host: '127.0.0.1', path, agent }, (response) => {
      response
        .resume()
        .once('end', () => resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }));
    });
    sent.once('error', reject).end();
  });

test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGHUP'] as const)(
  '%s stops a node as gracefully as SIGTERM',
  async (signal) => {
    const { child, ended } = await start();
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
  },
);

test.skipIf(process.platform === 'win32')(
  'SIGHUP reads WEBHOOKS_FILE again instead, and keeps the former receivers if it is invalid',
  async () => {
    const entry = { url: 'https://app.example/hooks', secret: newSecret() };
    const file = writeWebhooksFile([entry]);
    const { child, ended } = await start({ WEBHOOKS_FILE: file, LOG_LEVEL: 'info' });
    let log = '';
    child.stdout?.on('data', (text) => {
      log += text;
    });
    writeWebhooksFile([entry, { ...entry, url: 'https://other.example/hooks' }], file);
    child.kill('SIGHUP');
    await eventually(() => expect(log).toContain('"receivers":2'));
    writeWebhooksFile([{ ...entry, events: ['account.born'] }], file);
    child.kill('SIGHUP');
    await eventually(() => expect(log).toContain('the previous receivers stay'));
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  },
);

test('a stopping node becomes unready, asks clients to disconnect, fails no request, and exits whatever clients do', async () => {
  const { port, dataDir, child, ended } = await start();
  const store = openStore({ dataDir });
  await postRecovery(store, { to: account('ada'), at: Date.now() });
  await store.destroy();

  let sendsOn = true;
  const responses: ReceivedResponse[] = [];
  const keepAsking = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    // Like a proxy, which routes no new clients to an unready node.
    while (sendsOn) responses.push(await get(port, '/healthz', agent));
    // The connection stays open until the server closes it.
  };
  const clients = Promise.all(Array.from({ length: 20 }, keepAsking));
  // A client that never completes its request.
  const stalled = connect(port, '127.0.0.1').on('error', () => undefined);
  stalled.write(
    'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );

  // A proxy checks readiness regularly, so the node waits until it notices.
  for (let check = 0; check < 2; check += 1) expect((await get(port, '/readyz')).status).toBe(200);
  // Each client has had a few responses on its connection.
  await expect.poll(() => responses.length).toBeGreaterThan(100);
  expect(responses.every(({ status, connection }) => status === 200 && connection !== 'close')).toBe(true);
  const before = responses.length;
  child.kill('SIGTERM');
  await expect.poll(async () => (await get(port, '/readyz')).status).toBe(503);
  expect((await get(port, '/healthz')).connection).toBe('close');
  await expect
    .poll(() => responses.slice(before).filter(({ connection }) => connection === 'close').length)
    .toBeGreaterThan(19);
  sendsOn = false;
  await clients;
  expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
  expect(await ended).toEqual([0, null]);
});

test.skipIf(process.platform === 'win32')(
  'a request in progress is finished although its call provider does not respond',
  async () => {
    const provider = await startCallServer(() => () => undefined);
    const { port, child, ended } = await start({
      LOG_LEVEL: 'info',
      PHONE_CONFIRMATION: 'optional',
      CALL_PROVIDERS: 'webhook',
      WEBHOOK_CALL_URL: provider.url,
      WEBHOOK_CALL_SECRET: 'a secret of the webhook, of enough length',
      WEBHOOK_CALL_WAYS: 'ring',
    });
    let log = '';
    child.stdout?.on('data', (text) => {
      log += text;
    });
    const browser = openClient(`http://127.0.0.1:${port}`);
    const asked = browser.post('/auth/phone/call', { phone: '+4915112345678', locale: 'en' });
    await eventually(() => expect(provider.received).toHaveLength(1));
    child.kill('SIGTERM');
    expect(await asked).toSay('503 call_failed');
    expect(await ended).toEqual([0, null]);
    expect(log).not.toContain('unforeseen failure');
  },
);
