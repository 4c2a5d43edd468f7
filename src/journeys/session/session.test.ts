import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { days, minutes, seconds } from '../../contract/units.ts';
import { findAccountByEmail } from '../../store/accounts/accounts.ts';
import { type Client, statusAndCode, untilServed } from '../../testing/client.ts';
import { engines, usualEngines, withPostgres } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const refreshCookie = '__Host-refresh_token';

describe.each(usualEngines)('a session, on %s', async (engine) => {
  const server = await openTestServer(engine);

  test('is refreshed by its cookie, and gets a new one each time', async () => {
    const { browser } = await register(server);
    const seen = new Set([browser.cookies.get(refreshCookie)]);
    for (let time = 0; time < 3; time += 1) {
      const response = await browser.post('/auth/refresh', {});
      expect(response).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 600 } });
      seen.add(browser.cookies.get(refreshCookie));
    }
    expect(seen.size).toBe(4);
  });

  test('accepts an empty body like {}', async () => {
    const { browser } = await register(server);
    expect(await browser.post('/auth/refresh', '')).toSay('200');
  });

  test('a lost response is harmless: its parent token gets the same successor for ten seconds', async () => {
    const { browser } = await register(server);
    const before = browser.copy();
    await browser.post('/auth/refresh');
    server.forward(seconds(9));
    expect(await before.post('/auth/refresh')).toSay('200');
    expect(before.cookies.get(refreshCookie)).toBe(browser.cookies.get(refreshCookie));
  });

  test('an older token was copied: the session ends for both, with the reason', async () => {
    const { browser, email } = await register(server);
    const thief = browser.copy();
    await browser.post('/auth/refresh');
    await browser.post('/auth/refresh');
    expect(await thief.post('/auth/refresh')).toSay('401 session_ended reused');
    expect(thief.cookies.has(refreshCookie)).toBe(false);
    expect((await server.mailTo(email, /signed out/)).text).toContain('/recovery/');
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended reused');
    expect(await browser.get('/additionally/way')).toSay('401 not_signed_in');
  });

  describe('a lost response is repeated later', () => {
    const firefox = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    const newer = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0' };
    const chrome = {
      'user-agent':
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    };

    async function signIn() {
      const { email } = await register(server);
      const browser = server.client();
      await browser.post('/auth/login', { email, password }, firefox);
      return { email, browser };
    }

    /** Refreshes but drops the response. */
    async function loseResponse(browser: Client, later = minutes(5)): Promise<void> {
      await browser.copy().post('/auth/refresh', {}, firefox);
      server.forward(later);
    }

    async function activityOf(email: string): Promise<string[]> {
      const { store } = server;
      const account = await findAccountByEmail(store, email);
      const lines = await store
        .selectFrom('activity')
        .select('kind')
        .where('account_id', '=', account?.id ?? '')
        .orderBy('id')
        .execute();
      return lines.map(({ kind }) => kind).filter((kind) => kind.startsWith('refresh_'));
    }

    test('three times per session, with an entry in the activity log each time', async () => {
      const { email, browser } = await signIn();
      for (let time = 0; time < 3; time += 1) {
        await loseResponse(browser);
        expect(await browser.post('/auth/refresh', {}, time ? firefox : newer)).toSay('200');
        expect(await browser.post('/auth/refresh', {}, firefox)).toSay('200');
      }
      expect(await activityOf(email)).toEqual(Array(3).fill('refresh_repeated'));
      await loseResponse(browser);
      expect(await browser.post('/auth/refresh', {}, firefox)).toSay('401 session_ended reused');
    });

    test('once for all tabs that wake together', async () => {
      const { email, browser } = await signIn();
      await loseResponse(browser);
      const tabs = Array.from({ length: 20 }, () => browser.copy());
      const responses = await Promise.all(tabs.map((tab) => tab.post('/auth/refresh', {}, firefox)));
      expect(new Set(responses.map(statusAndCode))).toEqual(new Set(['200']));
      expect(new Set(tabs.map((tab) => tab.cookies.get(refreshCookie))).size).toBe(1);
      expect(await activityOf(email)).toEqual(['refresh_repeated']);
    });

    test.each([
      ['just after the ten seconds', seconds(11)],
      ['minutes later', minutes(5)],
    ])('but not to another kind of browser, %s', async (_when, later) => {
      const { email, browser } = await signIn();
      await loseResponse(browser, later);
      expect(await browser.post('/auth/refresh', {}, chrome)).toSay('401 session_ended reused');
      expect(await activityOf(email)).toEqual(['refresh_reused']);
    });

    test('but not once its successor was used', async () => {
      const { browser } = await signIn();
      const copy = browser.copy();
      await browser.post('/auth/refresh', {}, firefox);
      server.forward(minutes(5));
      await browser.post('/auth/refresh', {}, firefox);
      expect(await copy.post('/auth/refresh', {}, firefox)).toSay('401 session_ended reused');
      expect(await browser.post('/auth/refresh', {}, firefox)).toSay('401 session_ended reused');
    });

    test('and a token newer than a restored backup continues its session without an alarm', async () => {
      const { email, browser } = await signIn();
      for (let time = 0; time < 4; time += 1) await browser.post('/auth/refresh', {}, firefox);
      const { store } = server;
      await store.updateTable('sessions').set({ generation: 1 }).where('generation', '=', 4).execute();
      const tabs = [browser, ...Array.from({ length: 20 }, () => browser.copy())];
      const responses = await Promise.all(tabs.map((tab) => tab.post('/auth/refresh', {}, firefox)));
      expect(new Set(responses.map(statusAndCode))).toEqual(new Set(['200']));
      expect(new Set(tabs.map((tab) => tab.cookies.get(refreshCookie))).size).toBe(1);
      expect(await browser.post('/auth/refresh', {}, firefox)).toSay('200');
      expect(await activityOf(email)).toEqual(['refresh_adopted']);
      expect((await server.mails(email)).filter(({ subject }) => /signed out/.test(subject))).toEqual([]);
    });
  });

  test.each([
    ['a missing cookie', undefined],
    ['nonsense', 'x'],
    ['an access token', 'eyJhbGciOiJFUzI1NiJ9.e30.x'],
    ['a forged token', 'A'.repeat(70)],
  ])('does not exist for %s', async (_name, cookie) => {
    const browser = server.client();
    if (cookie) browser.cookies.set(refreshCookie, cookie);
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended no_session');
  });

  test('ends immediately at sign-out, which can be repeated', async () => {
    const { browser } = await register(server);
    const copy = browser.copy();
    expect((await browser.post('/auth/logout')).status).toBe(204);
    expect(browser.cookies.has(refreshCookie)).toBe(false);
    expect((await browser.post('/auth/logout')).status).toBe(204);
    expect(await copy.get('/account')).toSay('401 not_signed_in');
    expect(await copy.post('/auth/refresh')).toSay('401 session_ended signed_out');
  });

  test('does not end because of an old copy of its cookie: not by a sign-out, nor by another sign-in', async () => {
    const { browser } = await register(server);
    const other = await register(server);
    const copy = browser.copy();
    for (let time = 0; time < 2; time += 1) await browser.post('/auth/refresh');
    expect(await copy.copy().post('/auth/logout')).toSay('204');
    expect(await copy.copy().post('/connect/sign-out')).toSay('200');
    expect(await copy.copy().post('/auth/login', { email: other.email, password })).toSay('200');
    expect(await browser.post('/auth/refresh')).toSay('200');
    expect(await browser.get('/account')).toSay('200');
  });

  test('ends after fourteen idle days, and always after thirty', async () => {
    const idle = await register(server);
    const busy = await register(server);
    for (let day = 0; day < 15; day += 3) {
      server.forward(days(3));
      expect(await busy.browser.post('/auth/refresh')).toSay('200');
    }
    expect(await idle.browser.post('/auth/refresh')).toSay('401 session_ended expired');
    for (let day = 15; day < 30; day += 3) {
      expect(await busy.browser.post('/auth/refresh')).toSay('200');
      server.forward(days(3));
    }
    expect(await busy.browser.post('/auth/refresh')).toSay('401 session_ended expired');
  });

  test('has access tokens that work for ten minutes', async () => {
    const { browser } = await register(server);
    expect(await browser.get('/account')).toSay('200');
    server.forward(seconds(601));
    expect(await browser.get('/account')).toSay('401 not_signed_in');
    expect(await browser.post('/auth/refresh')).toSay('200');
    expect(await browser.get('/account')).toSay('200');
  });

  test.each(['', 'Bearer', 'Bearer ', 'Bearer a.b.c', 'Basic YTpi', 'Bearer a b', 'bearer\tx'])(
    'does not accept the authorization %j',
    async (authorization) =>
      expect(await server.client().get('/account', { authorization })).toSay('401 not_signed_in'),
  );

  describe('changes need the CSRF token', () => {
    test.each([
      ['a missing token', { 'x-csrf-token': '' }],
      ['a wrong token', { 'x-csrf-token': 'a.b' }],
      ['a foreign site (Fetch Metadata)', { 'sec-fetch-site': 'cross-site' }],
      ['a sibling site (Fetch Metadata)', { 'sec-fetch-site': 'same-site' }],
      ['a foreign origin', { origin: 'https://evil.example' }],
      ['an opaque origin', { origin: 'null' }],
      ['a look-alike origin', { origin: 'https://door.example.evil.example' }],
    ])('%s is refused, and nothing happens', async (_name, headers) => {
      const { browser } = await register(server);
      expect(await browser.post('/auth/logout', {}, headers)).toSay('403 csrf_failed');
      expect(await browser.post('/auth/refresh')).toSay('200');
    });

    test('a planted pair is refused, even if we signed it for another session', async () => {
      const one = await register(server);
      const other = await register(server);
      for (const planted of [
        'planted.pair',
        other.browser.cookies.get('csrf_token') ?? '',
        (await anonymous()) ?? '',
      ]) {
        const victim = one.browser.copy();
        victim.cookies.set('csrf_token', planted);
        expect(await victim.post('/auth/logout')).toSay('403 csrf_failed');
      }
    });

    test('a cookie that a sibling application sets for the domain neither replaces the token nor blocks requests', async () => {
      const { browser } = await register(server);
      const own = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const planted = (await anonymous()) ?? '';
      for (const cookie of [`csrf_token=${planted}; ${own}`, `${own}; csrf_token=${planted}`]) {
        const forged = await browser.post('/auth/logout', {}, { cookie, 'x-csrf-token': planted });
        expect(forged).toSay('403 csrf_failed');
        expect(await browser.send('PATCH', '/account', { body: {}, headers: { cookie, ...csrfOf(browser) } })).toSay(
          '200',
        );
        expect((await browser.get('/', { cookie })).headers.getSetCookie().join()).not.toContain('csrf_token');
      }
    });

    test('the token changes at sign-in and sign-out, and loading a page replaces a broken one', async () => {
      const { email, browser } = await register(server);
      const values = [browser.cookies.get('csrf_token')];
      await browser.post('/auth/logout');
      values.push(browser.cookies.get('csrf_token'));
      await browser.post('/auth/login', { email, password });
      values.push(browser.cookies.get('csrf_token'));
      expect(new Set(values).size).toBe(3);
      browser.cookies.set('csrf_token', 'broken');
      await browser.get('/register/');
      expect(await browser.post('/auth/refresh')).toSay('200');
    });

    const csrfOf = (browser: Client) => ({ 'x-csrf-token': browser.cookies.get('csrf_token') ?? '' });

    const anonymous = async () => {
      const browser = server.client();
      await browser.get('/auth/csrf');
      return browser.cookies.get('csrf_token');
    };
  });
});

describe.each(engines)('the tabs of a session, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('fifty tabs that wake together all stay signed in, with one rotation', async () => {
    const { browser } = await register(server);
    const tabs = Array.from({ length: 50 }, () => browser.copy());
    const responses = await Promise.all(tabs.map((tab) => untilServed(() => tab.post('/auth/refresh'))));
    expect(new Set(responses.map(statusAndCode))).toEqual(new Set(['200']));
    expect(new Set(tabs.map((tab) => tab.cookies.get(refreshCookie))).size).toBe(1);
    expect(tabs[0]?.cookies.get(refreshCookie)).not.toBe(browser.cookies.get(refreshCookie));
  });
});

describe.runIf(withPostgres)('two nodes on one PostgreSQL', () => {
  test('rotate tokens and count guesses as one service', async () => {
    const server = await openTestServer('postgres');
    const otherNode = await server.otherNode();
    const { browser, email } = await register(server);
    const tabs = Array.from({ length: 40 }, (_, at) => {
      const tab = (at % 2 ? server : otherNode).client();
      for (const [name, value] of browser.cookies) tab.cookies.set(name, value);
      return tab;
    });
    const responses = await Promise.all(tabs.map((tab) => untilServed(() => tab.post('/auth/refresh'))));
    expect(new Set(responses.map(statusAndCode))).toEqual(new Set(['200']));
    expect(new Set(tabs.map((tab) => tab.cookies.get(refreshCookie))).size).toBe(1);

    const guesses = Array.from({ length: 20 }, (_, at) =>
      (at % 2 ? server : otherNode).client().post('/auth/login', { email, password: 'wrong one' }),
    );
    const refused = (await Promise.all(guesses)).map(statusAndCode);
    expect(refused.filter((response) => response.startsWith('401'))).toHaveLength(5);
  });

  test.each([
    ['fifteen seconds', seconds(15)],
    ['five minutes', minutes(5)],
    ['minus five minutes', -minutes(5)],
  ])('use the database’s clock if one node’s clock is wrong by %s', async (_name, skew) => {
    const server = await openTestServer('postgres');
    const otherNode = await server.otherNode(skew);
    const { browser, email } = await register(server);
    const account = await findAccountByEmail(server.store, email);
    const there = otherNode.client();
    for (let time = 0; time < 5; time += 1) {
      for (const [name, value] of browser.cookies) there.cookies.set(name, value);
      expect(await browser.post('/auth/refresh')).toSay('200');
      expect(await there.post('/auth/refresh')).toSay('200');
      expect(there.cookies.get(refreshCookie)).toBe(browser.cookies.get(refreshCookie));
      expect(await there.post('/auth/refresh')).toSay('200');
      expect(await browser.post('/auth/refresh')).toSay('200');
      expect(await there.get('/account', { authorization: `Bearer ${browser.token}` })).toSay('200');
    }
    const { rows } = await sql<{ kind: string }>`
      select kind from activity where account_id = ${account?.id} and kind like 'refresh%'`.execute(server.store);
    expect(rows).toEqual([]);

    const guesses = (at: typeof server) => at.client().post('/auth/login', { email, password: 'wrong one' });
    for (let time = 0; time < 5; time += 1) await guesses(server);
    for (const at of [server, otherNode])
      expect(await guesses(at)).toMatchObject({ status: 429, body: { minutes: 1 } });
  });
});

describe.each(usualEngines)('on a shared computer, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  async function signInShared() {
    const { email } = await register(server);
    const browser = server.client();
    const response = await browser.post('/auth/login', { email, password, shared: true });
    return { browser, email, set: response.headers.getSetCookie() };
  }

  test('cookies end with the browser, which does not become a known device', async () => {
    const { browser, email, set } = await signInShared();
    const session = set.filter((cookie) => /refresh_token|session_hint/.test(cookie));
    expect(session.length).toBe(2);
    expect(session.filter((cookie) => /max-age|expires/i.test(cookie))).toEqual([]);
    expect(set.filter((cookie) => /device/.test(cookie))).toEqual([]);
    const again = (await browser.post('/auth/refresh')).headers.getSetCookie();
    expect(again.filter((cookie) => /refresh_token|session_hint/.test(cookie) && /max-age/i.test(cookie))).toEqual([]);
    const known = await server.store
      .selectFrom('devices')
      .innerJoin('accounts', 'accounts.id', 'devices.account_id')
      .select('token_hash')
      .where('email_key', '=', email)
      .execute();
    expect(known).toHaveLength(1);
  });

  test('the session ends after 30 minutes without use', async () => {
    const { browser } = await signInShared();
    server.forward(minutes(29));
    expect(await browser.post('/auth/refresh')).toSay('200');
    server.forward(minutes(31));
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended expired');
  });
});
