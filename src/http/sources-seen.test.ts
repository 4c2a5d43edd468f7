import { expect, test } from 'vitest';
import { openTestServer } from '../testing/test-server.ts';

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
