import { describe, expect, test } from 'vitest';
import { minutes } from '../../contract/durations.ts';
import { said } from '../../testing/client.ts';
import { engines } from '../../testing/databases.ts';
import { openHouse } from '../../testing/house.ts';
import { password, register } from '../../testing/people.ts';

describe.each(engines)('signing in, on %s', (engine) => {
  const house = openHouse(engine);
  const explicit = openHouse(engine, { ACCOUNT_DISCLOSURE: 'explicit' });

  test('gives an access token and a session that refreshes', async () => {
    const { email } = await register(await house);
    const browser = (await house).client();
    const answer = await browser.post('/auth/login', { email: ` ${email.toUpperCase()} `, password });
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 600 } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(said(await browser.post('/auth/refresh'))).toBe('200');
  });

  test('keeps its secrets in cookies that scripts cannot read', async () => {
    const { email } = await register(await house);
    const answer = await (await house).client().post('/auth/login', { email, password });
    const lines = answer.headers.getSetCookie();
    for (const name of ['__Host-refresh_token', '__Host-device']) {
      const line = lines.find((candidate) => candidate.startsWith(`${name}=`));
      expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax/);
    }
    expect(JSON.stringify(answer.body)).not.toContain('refresh');
  });

  test.each([
    ['no body', undefined, '422 validation_failed email email_required password password_required'],
    ['a bad address', { email: 'anna', password: 'x' }, '422 validation_failed email email_invalid'],
    ['an address as array', { email: ['a@example.com'], password: 'x' }, '422 validation_failed email email_invalid'],
    ['an unknown account', { email: 'nobody@example.com', password: 'x' }, '401 incorrect_login_or_password'],
    ['an array', [], '400 malformed_request'],
    ['broken JSON', '{"email":', '400 malformed_request'],
    ['deep JSON', `{"a":${'['.repeat(50)}${']'.repeat(50)}}`, '400 malformed_request'],
    [
      'a password that nobody can have chosen',
      { email: 'a@example.com', password: 'x'.repeat(2000) },
      '422 validation_failed password password_too_long',
    ],
    ['a password of 1 MB', { email: 'a@example.com', password: 'x'.repeat(1e6) }, '413 payload_too_large'],
  ])('refuses %s', async (_name, body, expected) => {
    expect(said(await (await house).client().post('/auth/login', body))).toBe(expected);
  });

  test('refuses another content type', async () => {
    const answer = await (await house)
      .client()
      .post('/auth/login', 'email=a', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(said(answer)).toBe('415 unsupported_media_type');
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  test('says the same of a wrong password and an unknown account, unless it is to be explicit', async () => {
    const { email } = await register(await explicit);
    const browser = (await explicit).client();
    expect(said(await browser.post('/auth/login', { email, password: 'wrong one' }))).toBe('401 incorrect_password');
    expect(said(await browser.post('/auth/login', { email: 'nobody@example.com', password }))).toBe(
      '401 account_not_found',
    );
  });

  test('the owner is told of a device that was never seen, and not of one that was', async () => {
    const { email, browser } = await register(await house, { locale: 'fr' });
    await browser.post('/auth/login', { email, password });
    const agent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const stranger = (await house).client({ ip: '192.0.2.55' });
    await stranger.post('/auth/login', { email, password }, { 'user-agent': agent });
    const mail = await (await house).mailTo(email, /connexion/i);
    expect(mail.text).toContain('Firefox, Windows');
    expect(mail.text).toContain('192.0.2.55');
    await stranger.post('/auth/login', { email, password });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await (await house).mails(email)).filter(({ subject }) => /connexion/i.test(subject))).toHaveLength(1);
  });

  test('an attempt whose session cannot be written counts for nothing, and blocks none that comes after', async () => {
    const { email } = await register(await house);
    const { store } = await house;
    const attempts = () => house.then((open) => open.client().post('/auth/login', { email, password }));
    await store.schema.alterTable('activity').renameTo('activity_away').execute();
    for (let time = 0; time < 6; time += 1) expect((await attempts()).status).toBeGreaterThanOrEqual(500);
    await store.schema
      .alterTable('activity_away' as 'activity')
      .renameTo('activity')
      .execute();
    expect(await store.selectFrom('lockouts').select('key').where('pending', '>', 0).execute()).toEqual([]);
    expect(said(await attempts())).toBe('200');
  });

  describe('after five wrong passwords', () => {
    const fail = async (email: string, times: number, browser?: Awaited<ReturnType<typeof register>>['browser']) => {
      const client = browser ?? (await house).client();
      for (let time = 0; time < times; time += 1) {
        expect(said(await client.post('/auth/login', { email, password: 'wrong one' }))).toBe(
          '401 incorrect_login_or_password',
        );
      }
    };

    test('locks a known and an unknown address alike, for 1, 2, 4, 8 and then 15 minutes', async () => {
      const { email } = await register(await house);
      for (const address of [email, `unknown-${email}`]) {
        await fail(address, 5);
        for (const expected of [1, 2, 4, 8, 15, 15]) {
          const locked = await (await house).client().post('/auth/login', { email: address, password });
          expect(locked).toMatchObject({ status: 429, body: { code: 'too_many_attempts', minutes: expected } });
          expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan((expected - 1) * 60);
          (await house).forward(minutes(expected));
          await fail(address, 1);
        }
      }
    });

    test('the right password opens once the time is over, and begins anew', async () => {
      const { email } = await register(await house);
      await fail(email, 5);
      (await house).forward(minutes(1));
      const browser = (await house).client();
      expect(said(await browser.post('/auth/login', { email, password }))).toBe('200');
      await fail(email, 4);
    });

    test('a known device still comes in, and has a lock of its own', async () => {
      const { email, browser } = await register(await house);
      await fail(email, 5);
      expect(said(await browser.post('/auth/login', { email, password }))).toBe('200');
      await fail(email, 5, browser);
      expect(said(await browser.post('/auth/login', { email, password }))).toBe('429 too_many_attempts');
    });

    test('parallel guesses get no sixth try', async () => {
      const { email } = await register(await house);
      const guesses = Array.from({ length: 20 }, async () => {
        const client = (await house).client();
        return said(await client.post('/auth/login', { email, password: 'wrong one' }));
      });
      const answers = await Promise.all(guesses);
      expect(answers.filter((answer) => answer.startsWith('401'))).toHaveLength(5);
      expect(answers.filter((answer) => answer.startsWith('429'))).toHaveLength(15);
    });

    test('parallel right answers all come in', async () => {
      const { email } = await register(await house);
      const tries = Array.from({ length: 20 }, async () =>
        said(await (await house).client().post('/auth/login', { email, password })),
      );
      expect(new Set(await Promise.all(tries))).toEqual(new Set(['200']));
    });
  });
});
