import { describe, expect, test } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { type Client, statusAndCode, untilServed } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const patch = (browser: Client, body: object) => browser.send('PATCH', '/account', { body });

describe.each(usualEngines)('a request that needs no password, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('cannot flood a mailbox: the address may belong to a stranger', async () => {
    const { browser, email } = await register(server);
    const change = async () => {
      const { phone } = (await browser.get('/account')).body;
      const other = phone.endsWith('8') ? '+4915123456789' : '+4915123456788';
      expect(statusAndCode(await browser.post('/account/phone', { phone: other }))).toBe('200');
    };
    const emailsSent = async () => (await server.mails(email)).filter(({ subject }) => /phone/i.test(subject)).length;
    for (let time = 0; time < 8; time += 1) await change();
    await expect.poll(emailsSent).toBe(5);
    expect((await browser.get('/account/activity')).body.records).toHaveLength(9);
    server.forward(days(1) + minutes(1));
    await browser.post('/auth/login', { email, password });
    await change();
    await expect.poll(emailsSent).toBe(6);
  });

  test('is refused after an hourly limit, until the hour is over', async () => {
    const { browser } = await register(server);
    for (let left = 5; left >= 0; left -= 1) {
      const { status, headers } = await browser.get('/account/export');
      expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"exports";q=6;w=3600']);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"exports";r=${left};t=\\d+$`));
    }
    const late = await browser.get('/account/export');
    expect([statusAndCode(late), late.body.minutes]).toEqual(['429 too_many_requests', 60]);
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(3000);
    expect(late.headers.get('ratelimit')).toBe(`"too_many_requests";r=0;t=${late.headers.get('retry-after')}`);
    const responses = await Promise.all(
      Array.from({ length: 130 }, (_, time) => patch(browser, { consent_offers: time % 2 === 0 })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(120);
    expect(statusAndCode(await patch(browser, { name: 'Anna' }))).toBe('429 too_many_requests');
    // Another account has its own limit.
    const other = await register(server);
    expect(statusAndCode(await patch(other.browser, { name: 'Anna' }))).toBe('200');
    server.forward(hours(1) + minutes(1));
    await browser.post('/auth/refresh');
    expect(statusAndCode(await patch(browser, { name: 'Anna' }))).toBe('200');
  });

  test('cannot make lists long: they contain the last hundred entries, and the requesting session', {
    tags: 'full',
  }, async () => {
    const { browser, email } = await register(server);
    for (let round = 0; round < 11; round += 1)
      await Promise.all(
        Array.from({ length: 10 }, () => untilServed(() => server.client().post('/auth/login', { email, password }))),
      );
    const { sessions } = (await browser.get('/account/sessions')).body;
    expect([sessions.length, sessions[0].current]).toEqual([101, true]);
    const { devices } = (await browser.get('/account/devices')).body;
    expect(devices).toHaveLength(100);
    expect(statusAndCode(await browser.send('DELETE', `/account/devices/${devices[0].id}`, {}))).toBe('204');
    expect(statusAndCode(await browser.send('DELETE', '/account/sessions', {}))).toBe('204');
    expect((await browser.get('/account/sessions')).body.sessions).toMatchObject([{ current: true }]);
  });
});
