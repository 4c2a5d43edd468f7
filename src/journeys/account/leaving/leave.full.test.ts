import { describe, expect, test } from 'vitest';
import { days } from '../../../contract/units.ts';
import { type Client, statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { password, register } from '../../../testing/people.ts';
import { secretsIn } from '../../../testing/secrets-in-mail.ts';
import { openTestServer } from '../../../testing/test-server.ts';

const leave = (browser: Client, secret = password) =>
  browser.send('DELETE', '/account', { body: { password: secret } });

describe.each(usualEngines)('after a deletion, on %s,', (engine) => {
  const server = openTestServer(engine, { PHONE_CONFIRMATION: 'optional', DELETION_GRACE_DAYS: '0' });

  test('an address that strangers register and delete in turn gets few emails, and its owner is not kept out', async () => {
    const { store, mailTo, mails, client } = await server;
    const email = 'agnes@example.com';
    const registerAndLeave = async () => leave((await register(await server, { email })).browser);
    for (let time = 1; time <= 5; time += 1) {
      const { browser } = await register(await server, { email });
      await mailTo(email, /./, 2 * time - 1);
      expect(statusAndCode(await leave(browser))).toBe('204');
      await mailTo(email, /was deleted/, time);
    }
    for (let time = 0; time < 3; time += 1) expect(statusAndCode(await registerAndLeave())).toBe('204');
    const { browser } = await register(await server, { email });
    const waiting = await store.selectFrom('outbox').select('id').where('recipient', '=', email).execute();
    expect([waiting, (await mails(email)).length]).toEqual([[], 10]);
    // The link that gives a stolen account back has a limit of its own.
    expect(statusAndCode(await browser.post('/account/email', { email: `next-${email}`, password }))).toBe('202');
    const hash = /hash=([\w.-]+)/.exec((await mailTo(`next-${email}`)).text)?.[1];
    expect(statusAndCode(await browser.post('/account/email/change', { hash }))).toBe('200');
    const undo = /hash=(undo\.[\w.-]+)/.exec((await mailTo(email, /address/)).text)?.[1];
    expect(statusAndCode(await browser.post('/account/email/undo', { hash: undo }))).toBe('200');

    const owner = client({ ip: '203.0.113.90' });
    expect(statusAndCode(await owner.post('/auth/code', { email, locale: 'en' }))).toBe('202');
    const code = /^\d{6}$/m.exec((await mailTo(email, /sign-in code/)).text)?.[0];
    expect(statusAndCode(await owner.post('/auth/code/login', { email, code }))).toBe('200');
    expect((await owner.get('/account')).body.email_confirmed).toBe(true);
    await mailTo(email, /Set a password for your/);
    expect(statusAndCode(await owner.send('DELETE', '/account', { body: {} }))).toBe('204');
    await mailTo(email, /was deleted/, 6);
  });

  test('an address that strangers register and then replace gets at most ten undo links a day', async () => {
    const { store, mails } = await server;
    const email = 'amelie@example.com';
    const changed = async () => (await mails(email)).filter(({ subject }) => /was changed$/.test(subject)).length;
    const registerAndReplace = async (next: string) => {
      const { browser } = await register(await server, { email });
      expect(statusAndCode(await browser.post('/account/email', { email: next, password }))).toBe('202');
      const hash = await secretsIn(await server, next).changeLink();
      expect(statusAndCode(await browser.post('/account/email/change', { hash }))).toBe('200');
    };
    for (let time = 1; time <= 12; time += 1) await registerAndReplace(`elsewhere${time}@example.com`);
    const waiting = store.selectFrom('outbox').select('id').where('recipient', '=', email).where('sent_at', 'is', null);
    await expect.poll(() => waiting.execute()).toEqual([]);
    expect(await changed()).toBe(10);
    (await server).forward(days(1));
    await registerAndReplace('elsewhere13@example.com');
    await expect.poll(changed).toBe(11);
  });
});
