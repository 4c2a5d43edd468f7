import { expect, test } from 'vitest';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const server = await openTestServer('sqlite');

async function openReader() {
  const { browser, email } = await register(server);
  // Long enough to be worth compressing.
  for (let time = 0; time < 12; time += 1) await browser.send('PATCH', '/account', { body: { name: `Anna ${time}` } });
  const read = async (path: string, coding: string) => {
    const headers = { authorization: `Bearer ${browser.token}`, 'accept-encoding': coding };
    const response = await fetch(server.url + path, { headers });
    return { body: await response.text(), coding: response.headers.get('content-encoding'), headers: response.headers };
  };
  return { server, browser, email, read };
}

test.each([
  ['br, gzip', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['identity', null],
  ['zstd', null],
])('a long response for a client that accepts "%s" has the encoding %s', async (accepted, coding) => {
  const { read } = await openReader();
  const plain = await read('/account/activity', 'identity');
  expect(plain.body.length).toBeGreaterThan(1400);
  const response = await read('/account/activity', accepted);
  expect(response.coding).toBe(coding);
  expect(response.body).toBe(plain.body);
  expect(response.headers.get('vary')).toMatch(/Accept-Encoding/i);
  expect((await read('/account/notifications', accepted)).coding).toBe(null);
});

test('a response with a token is never compressed, since its length could reveal it', async () => {
  const { server, email } = await openReader();
  const browser = server.client();
  await browser.get('/auth/csrf');
  const headers = {
    'content-type': 'application/json',
    'accept-encoding': 'br, gzip',
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'x-csrf-token': browser.cookies.get('csrf_token') ?? '',
  };
  const body = JSON.stringify({ email, password });
  const response = await fetch(`${server.url}/auth/login`, { method: 'POST', headers, body });
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, null]);
});

test('the copy of an account, which can be large, is complete', async () => {
  const { server, browser, read } = await openReader();
  const { id } = (await browser.get('/account')).body;
  const rows = Array.from({ length: 800 }, (_, at) => ({
    id: `n${at}`,
    account_id: id,
    at: server.now(),
    kind: 'computer_added',
    name: `Office ${at} ${'x'.repeat(60)}`,
    read_at: null,
  }));
  await server.store
    .insertInto('notifications')
    .values(rows as never)
    .execute();
  const copy = await read('/account/export', 'br');
  expect(copy.coding).toBe('br');
  expect(JSON.parse(copy.body).notifications).toHaveLength(800);
});
