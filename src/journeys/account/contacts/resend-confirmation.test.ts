import { describe, expect, test } from 'vitest';
import { days, hours, minutes } from '../../../contract/units.ts';
import { suppressAddress } from '../../../store/emails/suppression-list.ts';
import { type Client, statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { proveAddress, register } from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

const resend = (browser: Client) => browser.post('/account/email/resend', {});

const confirmations = async (server: TestServer, email: string) =>
  (await server.mails(email)).filter(({ subject }) => /Confirm your email/.test(subject));

describe.each(usualEngines)('the link that confirms an address, sent again, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('confirms the address in the browser of its owner, in the language of the account', async () => {
    const { browser, email } = await register(server, { locale: 'de' });
    expect(statusAndCode(await resend(browser))).toBe('202');
    const { text } = await server.mailTo(email, /E-Mail-Adresse/);
    const [, hash] = /\/de\/account\/security\/\?hash=([\w-]+)/.exec(text) ?? [];
    const stranger = await register(server);
    expect(statusAndCode(await stranger.browser.post('/account/email/confirm', { hash }))).toBe(
      '410 confirmation_link_expired',
    );
    expect(statusAndCode(await browser.post('/account/email/confirm', { hash }))).toBe('204');
    expect((await browser.get('/account')).body.email_confirmed).toBe(true);
  });

  test('is sent three times an hour and five times a day: the address may belong to a stranger', async () => {
    const { browser, email } = await register(server);
    const responses = await Promise.all(Array.from({ length: 6 }, () => resend(browser)));
    expect(responses.map(statusAndCode).sort()).toEqual([
      ...Array(3).fill('202'),
      ...Array(3).fill('429 too_many_mails'),
    ]);
    const refused = responses.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(3000);
    await expect.poll(async () => (await confirmations(server, email)).length).toBe(3);
    server.forward(hours(1) + minutes(1));
    await browser.post('/auth/refresh');
    const later = [await resend(browser), await resend(browser), await resend(browser)];
    expect(later.map(statusAndCode)).toEqual(['202', '202', '429 too_many_mails']);
    server.forward(days(1) + minutes(1));
    await browser.post('/auth/refresh');
    expect(statusAndCode(await resend(browser))).toBe('202');
  });

  test('is not sent to a confirmed address, and the response does not differ', async () => {
    const person = await register(server);
    const unproven = await register(server);
    await proveAddress(server, person);
    const { email } = unproven;
    await suppressAddress(server.store, { email, reason: 'complaint', told_by: 'ses', detail: '', at: server.now() });
    const responses = [await resend(person.browser), await resend(unproven.browser)];
    expect(responses.map(({ status, body }) => [status, body])).toEqual(Array(2).fill([202, {}]));
    for (let time = 0; time < 5; time += 1) expect(statusAndCode(await resend(person.browser))).toBe('202');
    expect(await confirmations(server, person.email)).toEqual([]);
  });
});
