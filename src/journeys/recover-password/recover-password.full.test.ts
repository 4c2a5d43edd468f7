import { describe, expect, test } from 'vitest';
import { statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('recovering a password, on %s', (engine) => {
  const server = openTestServer(engine);

  test('one client cannot trigger emails to many addresses', async () => {
    const stranger = (await server).client({ ip: '2001:db8:7:7::7' });
    const ask = (address: string) => stranger.post('/auth/recovery', { email: address, locale: 'en' });
    for (let time = 0; time < 30; time += 1) expect(statusAndCode(await ask(`nobody-${time}@example.org`))).toBe('202');
    expect(await ask('nobody@example.org')).toMatchObject({
      status: 429,
      body: { code: 'too_many_requests', minutes: 60 },
    });
  });
});
