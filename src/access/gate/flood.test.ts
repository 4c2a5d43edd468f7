import { describe, expect, onTestFinished, test } from 'vitest';
import { csrfCookie } from '../../contract/pages/cookies.ts';
import { statusAndCode, untilServed } from '../../testing/client.ts';
import { engines } from '../../testing/databases/databases.ts';
import { form, password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

let people = 0;
/** People with accounts, each on a new device and at a new address. */
async function newcomers(server: TestServer, count: number) {
  const token = await csrfToken(server);
  const accounts = await Promise.all(Array.from({ length: count }, () => register(server)));
  return accounts.map(({ email }) => {
    people += 1;
    // It loaded the page before the flood.
    const browser = server.client({ ip: `203.0.${people >>> 8}.${people & 255}` });
    browser.cookies.set(csrfCookie, token);
    return { browser, signIn: () => untilServed(() => browser.post('/auth/login', { email, password })) };
  });
}

/** Keeps sending over `connections` connections until the test is over or it has sent `most` requests. */
function flood(
  send: (connection: number) => Promise<unknown>,
  { connections, most }: { connections: number; most: number },
) {
  const state = { sent: 0, stopped: false };
  const ended = Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      while (!state.stopped && state.sent < most) {
        state.sent += 1;
        await send(connection);
      }
    }),
  );
  onTestFinished(async () => {
    state.stopped = true;
    await ended;
  });
  return { isOver: () => state.sent >= most };
}

/** A token that any browser without a session may send, so that the flood consists of sign-ins alone. */
async function csrfToken(server: TestServer): Promise<string> {
  const browser = server.client();
  await browser.get('/auth/csrf');
  return browser.cookies.get(csrfCookie) ?? '';
}

describe.each(engines)('while others flood the gate, on %s', (engine) => {
  const opened = openTestServer(engine, {}, { fullHashes: true });

  test('successful sign-ins of one account do not keep others out', async () => {
    const server = await opened;
    const people = await newcomers(server, 5);
    const [{ browser: stranger } = { browser: server.client() }] = await newcomers(server, 1);
    const { email, browser: mine } = await register(server);
    const connections = Array.from({ length: 48 }, () => mine.copy());
    const right = flood((at) => (connections[at] ?? mine).post('/auth/login', { email, password }), {
      connections: 48,
      most: 50_000,
    });
    const responses = await Promise.all(people.map(async ({ signIn }) => statusAndCode(await signIn())));
    expect(new Set(responses)).toEqual(new Set(['200']));
    expect(statusAndCode(await stranger.post('/auth/register', form()))).toBe('201');
    expect(right.isOver()).toBe(false);
  });
});

// The gate decides on admission with any engine alike, so one suffices here; the drill `flood` runs both.
test('failed sign-ins from twenty addresses, 32 connections each, do not keep newcomers out', async () => {
  const server = await openTestServer('sqlite', {}, { fullHashes: true });
  const people = await newcomers(server, 20);
  const token = await csrfToken(server);
  const connections = Array.from({ length: 640 }, (_, at) => {
    const browser = server.client({ ip: `192.0.2.${at % 20}` });
    browser.cookies.set(csrfCookie, token);
    return browser;
  });
  const guess = () => ({ email: `nobody${Math.random()}@example.com`, password: 'wrong one' });
  const wrong = flood((at) => connections[at]?.post('/auth/login', guess()) ?? Promise.resolve(), {
    connections: 640,
    most: 50_000,
  });
  const responses = await Promise.all(people.map(async ({ signIn }) => statusAndCode(await signIn())));
  expect(new Set(responses)).toEqual(new Set(['200']));
  expect(wrong.isOver()).toBe(false);
});
