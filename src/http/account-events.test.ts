import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Client } from '../testing/client.ts';
import { engines } from '../testing/databases/databases.ts';
import { password, register } from '../testing/people.ts';
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

describe.each(engines)('event streams on %s', (engine) => {
  // Without a proxy: a proxy's own connection would survive the visitor's disconnect.
  const opened = openTestServer(engine, { TRUSTED_PROXIES: '' });

  test('simultaneous requests get no more streams than sequential ones', async () => {
    const server = await opened;
    const { browser } = await register(server);
    const streams = await Promise.all(Array.from({ length: 80 }, () => follow(server.url, browser)));
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(streamsOfAccount);
  });

  test('signing out ends only the streams of that session', async () => {
    const server = await opened;
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
});
