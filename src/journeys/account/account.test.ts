import { describe, expect, test } from 'vitest';
import { days, hours, minutes } from '../../contract/units.ts';
import { type Client, statusAndCode, untilServed } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { kindsOf, letPass, password, register, registerProven, signedIn } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const patch = (browser: Client, body: unknown) => browser.send('PATCH', '/account', { body });
const remove = (browser: Client, path: string, body?: unknown) => browser.send('DELETE', path, { body });

const better = 'a lamp behind the stairs';
const change = (changes: Record<string, unknown> = {}) => ({
  current_password: password,
  password: better,
  password_repeat: better,
  ...changes,
});

describe.each(usualEngines)('an account, on %s', async (engine) => {
  const server = await openTestServer(engine);

  const signIn = (email: string, word?: string) => signedIn(server, email, word);

  describe('its details', () => {
    test('change field by field, and the response returns the result', async () => {
      const { browser } = await register(server, { organization: 'Acme' });
      const response = await patch(browser, { name: ' Berta Berg ', inn: '7707083893', locale: 'de' });
      expect(response).toMatchObject({
        status: 200,
        body: { name: 'Berta Berg', organization: 'Acme', inn: '7707083893', locale: 'de' },
      });
      expect((await browser.get('/account')).body).toEqual(response.body);
    });

    test('are in English, and so are emails, if this build lacks the language that another one stored', async () => {
      const { browser, email } = await register(server, { locale: 'de' });
      const { store } = server;
      await store
        .updateTable('accounts')
        .set({ locale: 'xx' as 'de' })
        .where('email', '=', email)
        .execute();
      expect(await browser.get('/account')).toMatchObject({ status: 200, body: { locale: 'en' } });
      await browser.post('/auth/recovery', { email, locale: 'de' });
      const { text } = await server.mailTo(email, /password/i);
      expect(text).toContain('https://door.example/reset-password/');
    });

    test('contain the phone number in E.164 and as people write it', async () => {
      const { browser } = await register(server, { phone: '+4915112345678' });
      expect((await browser.get('/account')).body).toMatchObject({
        phone: '+4915112345678',
        phone_written: '+49 1511 2345678',
      });
    });

    test('lose a blank organization and a blank INN', async () => {
      const { browser } = await register(server, { organization: 'Acme', inn: '7707083893' });
      expect((await patch(browser, { organization: '', inn: null })).body).toMatchObject({
        organization: null,
        inn: null,
      });
    });

    test('keep the time zone of the first browser with one that exists, until their owner chooses another', async () => {
      const { browser, email } = await register(server);
      const signIn = (zone: string) =>
        browser.post('/auth/login', { email, password: 'rain under tin roofs' }, { 'x-time-zone': zone });
      const zone = async () => (await browser.get('/account')).body.time_zone;
      expect(await zone()).toBeNull();
      for (const name of ['Not/AZone', 'Asia/Kathmandu', 'Europe/Berlin']) await signIn(name);
      expect(await zone()).toBe('Asia/Kathmandu');
      for (const time_zone of ['Not/AZone', 'AST', '', 7, null])
        expect((await patch(browser, { time_zone })).status).toBe(422);
      await patch(browser, { time_zone: 'America/Nuuk' });
      await signIn('Europe/Berlin');
      expect(await zone()).toBe('America/Nuuk');
    });

    test('ignore fields that need a proof, such as the id, the address and the phone', async () => {
      const { browser } = await register(server);
      const { body: before } = await browser.get('/account');
      const response = await patch(browser, {
        id: 'mine',
        email: 'other@example.com',
        phone: '+4915199999999',
        phone_confirmed: true,
        email_confirmed: true,
        delete_at: 1,
        __proto__: { name: 'x' },
      });
      expect(response).toMatchObject({ status: 200, body: before });
    });

    test('change only as a whole: one invalid field refuses the others', async () => {
      const { browser } = await register(server);
      const refused = await patch(browser, { name: 'Berta', organization: 'x'.repeat(180), consent_offers: 'yes' });
      expect(refused).toSay('422 validation_failed organization too_long consent_offers not_understood');
      expect((await browser.get('/account')).body.name).toBe('Anna Berg');
    });

    test('keep each consent to offers, and its withdrawal, with its time', async () => {
      const { browser } = await register(server);
      const offers = async () =>
        (await browser.get('/account')).body.consents.find(({ kind }: { kind: string }) => kind === 'offers');
      await patch(browser, { consent_offers: true });
      expect(await offers()).toMatchObject({ given: true, version: 1, locale: 'en' });
      server.forward(minutes(1));
      await patch(browser, { consent_offers: false });
      await patch(browser, { consent_offers: false });
      expect(await offers()).toMatchObject({ given: false });
      expect(await kindsOf(browser)).toEqual(['offers_changed', 'offers_changed', 'registered']);
    });

    test('can turn off emails about new devices', async () => {
      const person = await registerProven(server);
      expect((await patch(person.browser, { mail_new_device: false })).body.mail_new_device).toBe(false);
      await signIn(person.email);
      const mails = await server.mails(person.email);
      expect(mails.filter(({ subject }) => /new device/i.test(subject))).toEqual([]);
    });
  });

  describe('its password', () => {
    test('changes with the current one; only the requesting session continues', async () => {
      const { browser, email } = await register(server);
      const elsewhere = await signIn(email);
      expect(await browser.post('/account/password', change())).toSay('204');
      expect(await browser.get('/account')).toSay('200');
      expect(await browser.post('/auth/refresh')).toSay('200');
      expect(await elsewhere.get('/account')).toSay('401 not_signed_in');
      expect(await elsewhere.post('/auth/refresh')).toSay('401 session_ended password_changed');
      expect(await server.client().post('/auth/login', { email, password })).toSay(/^401 /);
      await signIn(email, better);
      expect((await server.mailTo(email, /password was changed/)).text).toContain('all other devices');
    });

    test.each<[string, Record<string, unknown>, string]>([
      ['a wrong current one', { current_password: 'not it at all' }, '401 incorrect_password'],
      ['a blank current one', { current_password: '' }, '422 validation_failed current_password password_required'],
      [
        'a common new one',
        { password: 'password1', password_repeat: 'password1' },
        '422 validation_failed password password_common',
      ],
    ])('does not change with %s', async (_what, changes, problem) => {
      const { browser, email } = await register(server);
      expect(await browser.post('/account/password', change(changes))).toSay(problem);
      await signIn(email);
    });

    test('changes once when a client repeats the request after a lost response', async () => {
      const { browser, email } = await register(server);
      server.forward(minutes(1));
      expect(await browser.post('/account/password', change())).toSay('204');
      await letPass(server, browser, minutes(9));
      expect(await browser.post('/account/password', change())).toSay('204');
      expect(await kindsOf(browser)).toEqual(['password_changed', 'registered']);
      const other = { password: 'neither of the two', password_repeat: 'neither of the two' };
      expect(await browser.post('/account/password', change(other))).toSay('401 incorrect_password');
      await letPass(server, browser, minutes(1));
      expect(await browser.post('/account/password', change())).toSay('401 incorrect_password');
      await signIn(email, better);
    });

    test('is not confirmed to a session that did not set it', async () => {
      const { browser, email } = await register(server);
      server.forward(minutes(1));
      expect(await browser.post('/account/password', change())).toSay('204');
      const later = await signIn(email, better);
      expect(await later.post('/account/password', change())).toSay('401 incorrect_password');
      const fresh = await register(server, { password: better, password_repeat: better });
      expect(await fresh.browser.post('/account/password', change())).toSay('401 incorrect_password');
    });

    test('allows no more guesses after a change: a repeated new password counts as a guess', async () => {
      const { browser } = await register(server);
      server.forward(minutes(1));
      expect(await browser.post('/account/password', change())).toSay('204');
      const guess = (n: number) => change({ password: `guess number ${n}`, password_repeat: `guess number ${n}` });
      const responses: string[] = [];
      for (let n = 0; n < 4; n += 1) responses.push(statusAndCode(await browser.post('/account/password', guess(n))));
      expect(responses).toEqual([
        '401 incorrect_password',
        '401 incorrect_password',
        '429 too_many_attempts',
        '429 too_many_attempts',
      ]);
      expect(await browser.post('/account/password', change())).toSay('429 too_many_attempts');
    });

    test('allows five guesses in a browser that was left open, and the owner can still sign in', async () => {
      const { browser, email } = await register(server);
      const guesses = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          browser.post('/account/password', change({ current_password: `guess ${n}` })),
        ),
      );
      expect(
        guesses.map(statusAndCode).filter((response) => response === '401 incorrect_password').length,
      ).toBeLessThanOrEqual(5);
      for (let n = 0; n < 6; n += 1)
        await browser.post('/account/password', change({ current_password: `again ${n}` }));
      const locked = await browser.post('/account/password', change());
      expect(locked).toMatchObject({ status: 429, body: { code: 'too_many_attempts', minutes: 1 } });
      expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan(0);
      await signIn(email);
      server.forward(minutes(2));
      expect(await browser.post('/account/password', change())).toSay('204');
    });
  });

  describe('its sessions', () => {
    test('are listed with the requesting one first and marked, and one or all others can be ended', async () => {
      const { browser, email } = await register(server);
      const phone = await signIn(email);
      const office = await signIn(email);
      const { sessions } = (await browser.get('/account/sessions')).body;
      expect(sessions).toMatchObject([{ current: true }, { current: false }, { current: false }]);
      const [own] = (await phone.get('/account/sessions')).body.sessions.filter(
        ({ current }: { current: boolean }) => current,
      );
      expect(await remove(browser, `/account/sessions/${own.id}`)).toSay('204');
      expect(await phone.get('/account')).toSay('401 not_signed_in');
      expect(await phone.post('/auth/refresh')).toSay('401 session_ended ended_elsewhere');
      expect(await remove(browser, `/account/sessions/${own.id}`)).toSay('404 not_found');
      expect(await remove(browser, '/account/sessions')).toSay('204');
      expect(await office.post('/auth/refresh')).toSay('401 session_ended ended_elsewhere');
      expect((await browser.get('/account/sessions')).body.sessions).toMatchObject([{ current: true }]);
    });

    test('include the requesting one, which signs out when it ends itself', async () => {
      const { browser } = await register(server);
      const [own] = (await browser.get('/account/sessions')).body.sessions;
      expect(await remove(browser, `/account/sessions/${own.id}`)).toSay('204');
      expect(browser.cookies.has('__Host-refresh_token')).toBe(false);
      expect(await browser.get('/account')).toSay('401 not_signed_in');
    });

    test('are no longer listed once they expire', async () => {
      const { browser, email } = await register(server);
      await signIn(email);
      server.forward(days(15));
      const later = await signIn(email);
      expect((await later.get('/account/sessions')).body.sessions).toHaveLength(1);
      expect(await browser.get('/account/sessions')).toSay('401 not_signed_in');
    });
  });

  test('its owner makes the browser of a session unknown by ending it, unlike one that signs out itself', async () => {
    const { browser, email } = await registerProven(server);
    const [phone, office] = [await signIn(email), await signIn(email)];
    const known = async () =>
      (
        await server.store
          .selectFrom('devices')
          .innerJoin('accounts', 'accounts.id', 'devices.account_id')
          .select('token_hash')
          .where('email', '=', email)
          .execute()
      ).length;
    expect(await known()).toBe(3);
    const { sessions } = (await phone.get('/account/sessions')).body;
    const { id } = sessions.find(({ current }: { current: boolean }) => current);
    expect(await remove(browser, `/account/sessions/${id}`)).toSay('204');
    expect(await known()).toBe(2);
    await phone.post('/auth/login', { email, password });
    await office.post('/auth/logout');
    expect(await known()).toBe(3);
    expect(await remove(browser, '/account/sessions')).toSay('204');
    expect(await known()).toBe(1);
    await browser.post('/auth/login', { email, password });
    expect(await known()).toBe(1);
  });

  test('its activity is paged, newest first', async () => {
    const { browser, email } = await register(server);
    for (let n = 0; n < 4; n += 1) await signIn(email);
    const first = (await browser.get('/account/activity?limit=3')).body;
    expect(first.records.map(({ kind }: { kind: string }) => kind)).toEqual(Array(3).fill('signed_in'));
    const second = (await browser.get(`/account/activity?limit=3&before=${first.next}`)).body;
    expect(second.records.map(({ kind }: { kind: string }) => kind)).toEqual(['signed_in', 'registered']);
    expect(second.next).toBeNull();
  });
});

describe.each(usualEngines)('a request that needs no password, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('cannot flood a mailbox: the address may belong to a stranger', async () => {
    const { browser, email } = await register(server);
    const change = async () => {
      const { phone } = (await browser.get('/account')).body;
      const other = phone.endsWith('8') ? '+4915123456789' : '+4915123456788';
      expect(await browser.post('/account/phone', { phone: other })).toSay('200');
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
    expect(await patch(browser, { name: 'Anna' })).toSay('429 too_many_requests');
    // Another account has its own limit.
    const other = await register(server);
    expect(await patch(other.browser, { name: 'Anna' })).toSay('200');
    await letPass(server, browser, hours(1) + minutes(1));
    expect(await patch(browser, { name: 'Anna' })).toSay('200');
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
    expect(await browser.send('DELETE', '/account/sessions', {})).toSay('204');
    expect((await browser.get('/account/sessions')).body.sessions).toMatchObject([{ current: true }]);
  });
});
