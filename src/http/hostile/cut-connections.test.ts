import { describe, expect, test } from 'vitest';
import { sendAndCut, statusAndCode } from '../../testing/client.ts';
import { engines } from '../../testing/databases/databases.ts';
import { form, password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

/** Milliseconds until the connection is reset: before, during and after the handling of the request. */
const moments = [0, 0, 0, 1, 2, 3, 5, 8, 12, 16];

describe.each(engines)('a connection that is reset while the server handles its request, on %s', async (engine) => {
  // Without a proxy: a proxy's own connection would survive the visitor's disconnect.
  const server = await openTestServer(engine, { TRUSTED_PROXIES: '' });

  const pending = async () => {
    const { store } = server;
    const rows = await store.selectFrom('lockouts').select('pending').where('pending', '>', 0).execute();
    return rows.length;
  };

  test('keeps every correct sign-in and never blocks a later one', async () => {
    const { email } = await register(server);
    for (const after of moments) {
      await sendAndCut({ ...server, browser: server.client(), path: '/auth/login', body: { email, password }, after });
    }
    await expect.poll(pending).toBe(0);
    expect(await server.client().post('/auth/login', { email, password })).toSay('200');
    const signIns = server.store
      .selectFrom('activity')
      .innerJoin('accounts', 'accounts.id', 'activity.account_id')
      .select('activity.ip')
      .where('accounts.email', '=', email)
      .where('kind', '=', 'signed_in');
    // The server may not have begun the last requests yet.
    await expect.poll(async () => (await signIns.execute()).length).toBe(moments.length + 1);
    await expect.poll(pending).toBe(0);
  });

  test('still counts every wrong password', async () => {
    const { email } = await register(server);
    for (const after of moments.slice(0, 5)) {
      const body = { email, password: 'wrong one' };
      await sendAndCut({ ...server, browser: server.client(), path: '/auth/login', body, after });
    }
    const locked = server.store.selectFrom('lockouts').select('key').where('locked_until', '>', 0);
    await expect.poll(async () => (await locked.execute()).length).toBe(1);
    await expect.poll(pending).toBe(0);
    expect(await server.client().post('/auth/login', { email, password })).toSay('429 too_many_attempts');
  });

  test('still signs out', async () => {
    for (const after of moments) {
      const { browser } = await register(server);
      await sendAndCut({ ...server, browser, path: '/auth/logout', after });
      await expect
        .poll(async () => statusAndCode(await browser.copy().post('/auth/refresh')))
        .toBe('401 session_ended signed_out');
    }
  });

  test('still ends a session whose older token is replayed', async () => {
    for (const after of moments.slice(0, 5)) {
      const { browser } = await register(server);
      const thief = browser.copy();
      // A client may repeat the previous token after a lost response; an older token must be a copy.
      await browser.post('/auth/refresh');
      await browser.post('/auth/refresh');
      server.forward(11_000);
      await sendAndCut({ ...server, browser: thief, path: '/auth/refresh', after });
      await expect.poll(async () => statusAndCode(await browser.copy().get('/account'))).toBe('401 not_signed_in');
    }
  });

  test('still registers, and still sends the recovery email', async () => {
    const body = form();
    const email = String(body.email);
    await sendAndCut({ ...server, browser: server.client(), path: '/auth/register', body, after: 0 });
    await server.mailTo(email);
    const browser = server.client();
    await sendAndCut({ ...server, browser, path: '/auth/recovery', body: { email, locale: 'en' }, after: 0 });
    await server.mailTo(email, /new password/i);
  });
});
