import { describe, expect, onTestFinished, test } from 'vitest';
import { csrfCookie } from '../../contract/cookies.ts';
import { statusAndCode, untilServed } from '../../testing/client.ts';
import { engines } from '../../testing/databases/databases.ts';
import { form, password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

let people = 0;
/** Somebody with an account, at a device and an address of their own that nobody has seen. */
async function newcomers(server: TestServer, count: number) {
  const token = await csrfToken(server);
  const accounts = await Promise.all(Array.from({ length: count }, () => register(server)));
  return accounts.map(({ email }) => {
    people += 1;
    // Its page was seen before the flood.
    const browser = server.client({ ip: `203.0.${people >>> 8}.${people & 255}` });
    browser.cookies.set(csrfCookie, token);
    return { browser, signIn: () => untilServed(() => browser.post('/auth/login', { email, password })) };
  });
}

/** Sends again and again over so many connections, until its test is over or it has sent `most`. */
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

/** One that any browser without a session may send: the flood is not of requests for a session. */
async function csrfToken(server: TestServer): Promise<string> {
  const browser = server.client();
  await browser.get('/auth/csrf');
  return browser.cookies.get(csrfCookie) ?? '';
}

describe.each(engines)('while others flood the door, on %s', (engine) => {
  const opened = openTestServer(engine);

  test('right sign-ins of one account keep nobody else out', async () => {
    const server = await opened;
    const people = await newcomers(server, 5);
    const [{ browser: stranger } = { browser: server.client() }] = await newcomers(server, 1);
    const { email, browser: mine } = await register(server);
    const connections = Array.from({ length: 48 }, () => mine.copy());
    const right = flood((at) => (connections[at] ?? mine).post('/auth/login', { email, password }), {
      connections: 48,
      most: 50_000,
    });
    const answers = await Promise.all(people.map(async ({ signIn }) => statusAndCode(await signIn())));
    expect(new Set(answers)).toEqual(new Set(['200']));
    expect(statusAndCode(await stranger.post('/auth/register', form()))).toBe('201');
    expect(right.isOver()).toBe(false);
  });
});

// Who is let in is the gate's decision, whatever the engine; the drill `flood` has both.
test('wrong sign-ins from twenty addresses, 32 connections each, turn no newcomer away', async () => {
  const server = await openTestServer('sqlite');
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
  const answers = await Promise.all(people.map(async ({ signIn }) => statusAndCode(await signIn())));
  expect(new Set(answers)).toEqual(new Set(['200']));
  expect(wrong.isOver()).toBe(false);
});
