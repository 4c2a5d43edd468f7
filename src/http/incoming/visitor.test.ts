import { describe, expect, test } from 'vitest';
import { usualEngines } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('the address of a visitor behind a proxy, on %s', async (engine) => {
  const server = await openTestServer(engine, { TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8,2001:db8:ffff::/48' });

  test.each([
    ['203.0.113.5', '203.0.113.5'],
    ['198.51.100.1, 203.0.113.5, 10.1.1.1', '203.0.113.5'],
    ['203.0.113.5:51034', '203.0.113.5'],
    ['198.51.100.1, 203.0.113.5:51034, 10.1.1.1:443', '203.0.113.5'],
    ['[2001:db8::1]:51034', '2001:db8::1'],
    ['[2001:db8::1], [2001:db8:ffff::9]:443', '2001:db8::1'],
    ['203.0.113.5:', '127.0.0.1'],
    ['203.0.113.5:123456', '127.0.0.1'],
    ['[203.0.113.5', '127.0.0.1'],
    ['2001:db8::1]', '127.0.0.1'],
    ['203.0.113.5, unknown', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('from the header “%s” is %s', async (header, address) => {
    const { email } = await register(server);
    const browser = server.client();
    await browser.post('/auth/login', { email, password }, { 'x-forwarded-for': header });
    const { records } = (await browser.get('/account/activity?limit=1')).body;
    expect(records).toMatchObject([{ kind: 'signed_in', ip: address }]);
  });
});

test.each([
  ['is not trusted', '', '127.0.0.1'],
  ['is trusted', '127.0.0.1', undefined],
])('behind a proxy that %s (TRUSTED_PROXIES is %j), the only source is %j', async (_, TRUSTED_PROXIES, only) => {
  const server = await openTestServer('sqlite', { TRUSTED_PROXIES });
  for (let request = 0; request < 100; request += 1) {
    expect((await server.client({ ip: `203.0.113.${request}` }).get('/auth/csrf')).status).toBe(204);
  }
  expect(server.sources.only()).toBe(only);
});

test('a single source is normal on a developer’s machine, and health checks do not count', async () => {
  const own = await openTestServer('sqlite', { PUBLIC_URL: 'http://localhost:3000' });
  const watched = await openTestServer('sqlite');
  for (let request = 0; request < 100; request += 1) {
    await own.client().get('/auth/csrf');
    await watched.client().get('/healthz');
  }
  expect([own.sources.only(), watched.sources.only()]).toEqual([undefined, undefined]);
});
