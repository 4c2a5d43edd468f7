import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, openClient } from '../testing/client.ts';
import { engines, migratedDatabase } from '../testing/databases/databases.ts';
import { form, password, register } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';
import { openTestServer } from '../testing/test-server.ts';

const path = '/computers/events';

const streamsOfAccount = 20;

const asked = ({ token }: Client) => ({ headers: { authorization: `Bearer ${token}` } });

/** Opens a stream that closes when the test ends. */
async function follow(url: string, browser: Client): Promise<Response> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  return fetch(url + path, { ...asked(browser), signal: leaving.signal });
}

/** Requests streams on one connection and resets it, as a browser does when its user leaves immediately. */
async function askAndLeave(url: string, browser: Client, { times, after }: { times: number; after: number }) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  await once(socket, 'connect');
  const head = `GET ${path} HTTP/1.1\r\nHost: door.example\r\nAuthorization: Bearer ${browser.token}\r\n\r\n`;
  socket.write(head.repeat(times));
  if (after > 0) await pause(after);
  const closed = once(socket, 'close');
  socket.resetAndDestroy();
  await closed;
}

describe.each(engines)('event streams on %s', async (engine) => {
  // Without a proxy: a proxy's own connection would survive the visitor's disconnect.
  const server = await openTestServer(engine, { TRUSTED_PROXIES: '' });

  test('simultaneous requests get no more streams than sequential ones', async () => {
    const { browser } = await register(server);
    const streams = await Promise.all(Array.from({ length: 80 }, () => follow(server.url, browser)));
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(streamsOfAccount);
  });

  test('signing out ends only the streams of that session', async () => {
    const person = await register(server);
    const other = server.client();
    await other.post('/auth/login', { email: person.email, password });
    // Streams poll for ended sessions every few seconds; fake timers keep these two from polling.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const [own, others] = [await follow(server.url, person.browser), await follow(server.url, other)];
    vi.useRealTimers();
    await person.browser.post('/auth/logout');
    await own.text();
    await other.post('/account/notifications/read');
    const reader = (others.body as ReadableStream<Uint8Array>).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      expect(done).toBe(false);
      if (Buffer.from(value ?? []).includes('event: changed')) break;
    }
    await reader.cancel();
  });

  test('two thousand aborted requests leave every slot of their account free', { tags: 'full' }, async () => {
    const { browser } = await register(server);
    for (let wave = 0; wave < 50; wave += 1) {
      const cuts = Array.from({ length: 20 }, (_, at) => ({ times: at % 4 === 0 ? 5 : 1, after: at % 5 }));
      await Promise.all(cuts.map((cut) => askAndLeave(server.url, browser, cut)));
    }
    const streams: Response[] = [];
    for (let at = 0; at < streamsOfAccount; at += 1) streams.push(await follow(server.url, browser));
    expect(streams.map(({ status }) => status)).toEqual(Array(streamsOfAccount).fill(200));
    expect((await follow(server.url, browser)).status).toBe(503);
  });

  test('users who leave while all their streams are open cause no error in the log', { tags: 'full' }, async () => {
    const service = await startProcess(await migratedDatabase(engine), { TRUSTED_PROXIES: '' });
    const browser = openClient(service.url);
    expect((await browser.post('/auth/register', form())).status).toBe(201);
    for (let wave = 0; wave < 30; wave += 1) {
      const cuts = Array.from({ length: 30 }, (_, at) => ({ times: at % 4 === 0 ? 5 : 1, after: at % 5 }));
      await Promise.all(cuts.map((cut) => askAndLeave(service.url, browser, cut)));
    }
    expect(service.log().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
