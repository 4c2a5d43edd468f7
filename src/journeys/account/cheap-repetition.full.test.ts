import { describe, expect, test } from 'vitest';
import { statusAndCode, untilServed } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('a request that needs no password, on %s,', (engine) => {
  const opened = openTestServer(engine);

  test('cannot make lists long: they contain the last hundred entries, and the requesting session', async () => {
    const server = await opened;
    const { browser, email } = await register(server);
    for (let round = 0; round < 11; round += 1)
      await Promise.all(
        Array.from({ length: 10 }, () => untilServed(() => server.client().post('/auth/login', { email, password }))),
      );
    const { sessions } = (await browser.get('/account/sessions')).body;
    expect([sessions.length, sessions[0].current]).toEqual([101, true]);
    const { devices } = (await browser.get('/account/devices')).body;
    expect(devices).toHaveLength(100);
    const headers = { 'x-csrf-token': browser.cookies.get('csrf_token') ?? '' };
    expect(statusAndCode(await browser.send('DELETE', `/account/devices/${devices[0].id}`, { headers }))).toBe('204');
    expect(statusAndCode(await browser.send('DELETE', '/account/sessions', { headers }))).toBe('204');
    expect((await browser.get('/account/sessions')).body.sessions).toMatchObject([{ current: true }]);
  });
});
