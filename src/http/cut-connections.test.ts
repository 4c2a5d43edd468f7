import { describe, expect, test } from 'vitest';
import { statusAndCode } from '../testing/client.ts';
import { sendAndCut } from '../testing/cut-connection.ts';
import { engines } from '../testing/databases/databases.ts';
import { form, password, register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';

/** Milliseconds after which a connection is reset: before, while and after the request is worked on. */
const moments = [0, 0, 0, 1, 2, 3, 5, 8, 12, 16];

describe.each(engines)('a connection that is cut while its request is worked on, on %s', (engine) => {
  // Without a proxy, whose connection would outlive its visitor's.
  const opened = openTestServer(engine, { TRUSTED_PROXIES: '' });

  const pending = async () => {
    const { store } = await opened;
    const rows = await store.selectFrom('lockouts').select('pending').where('pending', '>', 0).execute();
    return rows.length;
  };

  test('loses no right sign-in, and blocks none that comes after', async () => {
    const server = await opened;
    const { email } = await register(server);
    for (const after of moments) {
      await sendAndCut({ ...server, browser: server.client(), path: '/auth/login', body: { email, password }, after });
    }
    await expect.poll(pending).toBe(0);
    expect(statusAndCode(await server.client().post('/auth/login', { email, password }))).toBe('200');
    const cut = await server.store
      .selectFrom('activity')
      .innerJoin('accounts', 'accounts.id', 'activity.account_id')
      .select('activity.ip')
      .where('accounts.email', '=', email)
      .where('kind', '=', 'signed_in')
      .execute();
    expect(cut).toHaveLength(moments.length + 1);
  });

  test('leaves no guess uncounted', async () => {
    const server = await opened;
    const { email } = await register(server);
    for (const after of moments.slice(0, 5)) {
      const body = { email, password: 'wrong one' };
      await sendAndCut({ ...server, browser: server.client(), path: '/auth/login', body, after });
    }
    await expect.poll(pending).toBe(0);
    expect(statusAndCode(await server.client().post('/auth/login', { email, password }))).toBe('429 too_many_attempts');
  });

  test('signs out all the same', async () => {
    const server = await opened;
    for (const after of moments) {
      const { browser } = await register(server);
      await sendAndCut({ ...server, browser, path: '/auth/logout', after });
      await expect
        .poll(async () => statusAndCode(await browser.copy().post('/auth/refresh')))
        .toBe('401 session_ended signed_out');
    }
  });

  test('ends a session whose older token was replayed', async () => {
    const server = await opened;
    for (const after of moments.slice(0, 5)) {
      const { browser } = await register(server);
      const thief = browser.copy();
      // A parent may be one whose answer was lost; what is older was copied.
      await browser.post('/auth/refresh');
      await browser.post('/auth/refresh');
      server.forward(11_000);
      await sendAndCut({ ...server, browser: thief, path: '/auth/refresh', after });
      await expect.poll(async () => statusAndCode(await browser.copy().get('/account'))).toBe('401 not_signed_in');
    }
  });

  test('registers, and posts a recovery mail, all the same', async () => {
    const server = await opened;
    const body = form();
    const email = String(body.email);
    await sendAndCut({ ...server, browser: server.client(), path: '/auth/register', body, after: 0 });
    await server.mailTo(email);
    const browser = server.client();
    await sendAndCut({ ...server, browser, path: '/auth/recovery', body: { email, locale: 'en' }, after: 0 });
    await server.mailTo(email, /new password/i);
  });
});
