import { describe, expect, test } from 'vitest';
import { hours, minutes } from '../../contract/units.ts';
import { statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { form, password, proveAddress, register, registerProven } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('signing in, on %s', async (engine) => {
  const server = await openTestServer(engine);
  const explicit = await openTestServer(engine, { ACCOUNT_DISCLOSURE: 'explicit' });

  test('returns an access token and starts a session that can be refreshed', async () => {
    const { email } = await register(server);
    const browser = server.client();
    const response = await browser.post('/auth/login', { email: ` ${email.toUpperCase()} `, password });
    expect(response).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 600 } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await browser.post('/auth/refresh')).toSay('200');
  });

  test('keeps its secrets in cookies that scripts cannot read', async () => {
    const { email } = await register(server);
    const response = await server.client().post('/auth/login', { email, password });
    const lines = response.headers.getSetCookie();
    for (const name of ['__Host-refresh_token', '__Host-device']) {
      const line = lines.find((candidate) => candidate.startsWith(`${name}=`));
      expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax/);
    }
    expect(JSON.stringify(response.body)).not.toContain('refresh');
  });

  test.each([
    ['a missing body', undefined, '422 validation_failed email email_required password password_required'],
    ['a bad address', { email: 'anna', password: 'x' }, '422 validation_failed email email_invalid'],
    ['an address as array', { email: ['a@example.com'], password: 'x' }, '422 validation_failed email email_invalid'],
    ['an unknown account', { email: 'nobody@example.com', password: 'x' }, '401 incorrect_login_or_password'],
    ['an array', [], '400 malformed_request'],
    ['broken JSON', '{"email":', '400 malformed_request'],
    ['deep JSON', `{"a":${'['.repeat(50)}${']'.repeat(50)}}`, '400 malformed_request'],
    [
      'a password longer than registration allows',
      { email: 'a@example.com', password: 'x'.repeat(2000) },
      '422 validation_failed password password_too_long',
    ],
    ['a password of 1 MB', { email: 'a@example.com', password: 'x'.repeat(1e6) }, '413 payload_too_large'],
  ])('refuses %s', async (_name, body, expected) => {
    expect(await server.client().post('/auth/login', body)).toSay(expected);
  });

  test('refuses another content type', async () => {
    const response = await server
      .client()
      .post('/auth/login', 'email=a', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(response).toSay('415 unsupported_media_type');
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  test('distinguishes a wrong password from an unknown account only if the operator chose so', async () => {
    const { email } = await register(explicit);
    const browser = explicit.client();
    expect(await browser.post('/auth/login', { email, password: 'wrong one' })).toSay('401 incorrect_password');
    expect(await browser.post('/auth/login', { email: 'nobody@example.com', password })).toSay('401 account_not_found');
  });

  describe('on a new device', () => {
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const signInFrom = async (email: string, { ip, agent = firefox }: { ip: string; agent?: string }) => {
      const stranger = server.client({ ip });
      const response = await stranger.post('/auth/login', { email, password }, { 'user-agent': agent });
      expect(response).toSay('200');
      return stranger;
    };
    /** The new-device emails to an address, sent or still queued. */
    const emails = async (email: string) => {
      const { store } = server;
      const all = store
        .selectFrom('outbox')
        .selectAll()
        .where('recipient', '=', email)
        .where('notice', '=', 'new_device');
      return all.orderBy('created_at').execute();
    };

    test('notifies the owner, and only the first time', async () => {
      const owner = await registerProven(server, { locale: 'fr' });
      await owner.browser.post('/auth/login', { email: owner.email, password });
      const stranger = await signInFrom(owner.email, { ip: '192.0.2.55' });
      const mail = await server.mailTo(owner.email, /connexion/i);
      expect(mail.text).toContain('Firefox, Windows');
      expect(mail.text).toContain('192.0.2.55');
      await stranger.post('/auth/login', { email: owner.email, password });
      expect(await emails(owner.email)).toHaveLength(1);
    });

    test('does not notify an unproven address, which a stranger may have entered', async () => {
      const { email } = await register(server);
      await signInFrom(email, { ip: '192.0.2.55' });
      expect(await emails(email)).toEqual([]);
    });

    test('does not accept the link of the first email as proof without the account’s session', async () => {
      const squatter = await register(server);
      const mail = await server.mailTo(squatter.email);
      const [, hash] = /hash=([\w-]+)/.exec(mail.text) ?? [];
      const other = await register(server);
      expect(await server.client().post('/account/email/confirm', { hash })).toSay('401 not_signed_in');
      expect(await other.browser.post('/account/email/confirm', { hash })).toSay('410 confirmation_link_expired');
      await signInFrom(squatter.email, { ip: '192.0.2.55' });
      expect(await emails(squatter.email)).toEqual([]);
    });

    test('batches further notices within an hour into one email, at most five a day', async () => {
      const owner = await register(server);
      const { email } = owner;
      await proveAddress(server, owner);
      await Promise.all(Array.from({ length: 15 }, (_, at) => signInFrom(email, { ip: `192.0.2.${at + 1}` })));
      const [first, second, ...more] = await emails(email);
      expect(more).toEqual([]);
      expect(Number(second?.due_at) - Number(first?.created_at)).toBeGreaterThanOrEqual(hours(1));
      server.forward(hours(1));
      const gathered = await server.mailTo(email, /sign-in/i, 2);
      expect(gathered.text.match(/192\.0\.2\.\d+/g)).toHaveLength(10);
      expect(gathered.text).toMatch(/Other sign-ins in the same period: \P{Nd}*4\b/u);
      for (let hour = 0; hour < 8; hour += 1) {
        await signInFrom(email, { ip: `198.51.100.${hour}` });
        server.forward(hours(1));
      }
      const times = (await emails(email)).map(({ created_at }) => created_at);
      expect(times).toHaveLength(6);
      expect((times[5] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(hours(24));
    });

    test.each([
      'Prize at https://evil.example/ 1.0',
      'Click(https://evil.example)/1 (X; Foo)',
      'Mozilla/5.0 (https://evil.example; U) Evil.example/5.0 (call +1 900) Win/1',
    ])('sends an email without any text from the user agent %j', async (agent) => {
      const owner = await registerProven(server);
      await signInFrom(owner.email, { ip: '192.0.2.9', agent });
      const mail = await server.mailTo(owner.email, /sign-in/i);
      expect(mail.text + mail.html).not.toMatch(/evil|prize|900/i);
    });
  });

  test('ends the previous session of the same browser', async () => {
    const { email, browser } = await register(server);
    const before = browser.copy();
    expect(await browser.post('/auth/login', { email, password })).toSay('200');
    expect(await before.post('/auth/refresh')).toSay('401 session_ended signed_out');
    expect(await before.get('/account')).toSay('401 not_signed_in');
    expect(await browser.post('/auth/refresh')).toSay('200');
  });

  test('does not count an attempt whose session cannot be written, and never blocks later ones', async () => {
    const { email } = await register(server);
    const { store } = server;
    const attempts = () => server.client().post('/auth/login', { email, password });
    await store.schema.alterTable('activity').renameTo('activity_away').execute();
    for (let time = 0; time < 6; time += 1) expect((await attempts()).status).toBeGreaterThanOrEqual(500);
    await store.schema
      .alterTable('activity_away' as 'activity')
      .renameTo('activity')
      .execute();
    expect(await store.selectFrom('lockouts').select('key').where('pending', '>', 0).execute()).toEqual([]);
    expect(await attempts()).toSay('200');
  });

  test('never makes a planted device cookie a known device', async () => {
    const attacker = await register(server);
    const planted = attacker.browser.cookies.get('__Host-device') ?? '';
    const victim = server.client();
    victim.cookies.set('__Host-device', planted);
    const { email } = await register(server);
    expect(await victim.post('/auth/login', { email, password })).toSay('200');
    const own = victim.cookies.get('__Host-device');
    expect(own).not.toBe(planted);
    expect(await victim.post('/auth/login', { email, password })).toSay('200');
    expect(victim.cookies.get('__Host-device')).toBe(own);

    const another = server.client();
    another.cookies.set('__Host-device', planted);
    const registered = form();
    expect(await another.post('/auth/register', registered)).toSay('201');
    expect(another.cookies.get('__Host-device')).not.toBe(planted);

    const guesser = server.client();
    for (const [address, known] of [
      [email, planted],
      [String(registered.email), planted],
    ]) {
      for (let time = 0; time < 6; time += 1) {
        await server.client().post('/auth/login', { email: address, password: 'wrong one' });
      }
      guesser.cookies.set('__Host-device', known ?? '');
      expect(await guesser.post('/auth/login', { email: address, password })).toSay('429 too_many_attempts');
    }
  });

  describe('after five wrong passwords', () => {
    const fail = async (email: string, times: number, browser?: Awaited<ReturnType<typeof register>>['browser']) => {
      const client = browser ?? server.client();
      for (let time = 0; time < times; time += 1) {
        expect(await client.post('/auth/login', { email, password: 'wrong one' })).toSay(
          '401 incorrect_login_or_password',
        );
      }
    };

    test('locks a known and an unknown address alike, for 1, 2, 4, 8 and then 15 minutes', async () => {
      const { email } = await register(server);
      for (const address of [email, `unknown-${email}`]) {
        await fail(address, 5);
        for (const expected of [1, 2, 4, 8, 15, 15]) {
          const locked = await server.client().post('/auth/login', { email: address, password });
          expect(locked).toMatchObject({ status: 429, body: { code: 'too_many_attempts', minutes: expected } });
          expect(Number(locked.headers.get('retry-after'))).toBeGreaterThan((expected - 1) * 60);
          server.forward(minutes(expected));
          await fail(address, 1);
        }
      }
    });

    test('the right password works once the lockout is over, and resets the count', async () => {
      const { email } = await register(server);
      await fail(email, 5);
      server.forward(minutes(1));
      const browser = server.client();
      expect(await browser.post('/auth/login', { email, password })).toSay('200');
      await fail(email, 4);
    });

    test('a known device can still sign in, and has its own lockout', async () => {
      const { email, browser } = await register(server);
      await fail(email, 5);
      expect(await browser.post('/auth/login', { email, password })).toSay('200');
      await fail(email, 5, browser);
      expect(await browser.post('/auth/login', { email, password })).toSay('429 too_many_attempts');
    });

    test('parallel guesses do not get a sixth try', async () => {
      const { email } = await register(server);
      const guesses = Array.from({ length: 20 }, async () => {
        const client = server.client();
        return statusAndCode(await client.post('/auth/login', { email, password: 'wrong one' }));
      });
      const responses = await Promise.all(guesses);
      expect(responses.filter((response) => response.startsWith('401'))).toHaveLength(5);
      expect(responses.filter((response) => response.startsWith('429'))).toHaveLength(15);
    });

    test('parallel sign-ins with the right password all succeed', async () => {
      const { email } = await register(server);
      const tries = Array.from({ length: 20 }, async () =>
        statusAndCode(await server.client().post('/auth/login', { email, password })),
      );
      expect(new Set(await Promise.all(tries))).toEqual(new Set(['200']));
    });
  });
});
