import { describe, expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { addAuthenticator } from '../../testing/authenticator.ts';
import { type Client, claimsOf, statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { letPass, password, register, signedIn } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const remove = (browser: Client, body: object) => browser.send('DELETE', '/account', { body });

describe.each(usualEngines)('step-up, on %s', async (engine) => {
  const server = await openTestServer(engine);

  test('access tokens say when and how their user signed in, and a refresh does not change that', async () => {
    const { browser } = await register(server);
    const since = Math.floor(server.now() / 1000);
    expect(claimsOf(browser)).toMatchObject({ amr: ['pwd'], acr: 'aal1' });
    const { auth_time: began } = claimsOf(browser);
    expect(Math.abs(Number(began) - since)).toBeLessThan(60);
    await letPass(server, browser, minutes(20));
    expect(claimsOf(browser)).toMatchObject({ auth_time: began, amr: ['pwd'], acr: 'aal1' });
    expect(Number(claimsOf(browser).iat)).toBeGreaterThan(Number(began) + 1000);
  });

  test('a sensitive request is refused 15 minutes after the sign-in, until the user proves again who they are', async () => {
    const { browser } = await register(server);
    await letPass(server, browser, minutes(14));
    expect(await browser.get('/account/export')).toSay('200');
    await letPass(server, browser, minutes(2));
    const refused = await browser.get('/account/export');
    expect(refused).toSay('401 step_up_required');
    expect(refused.body.ways).toEqual(['password']);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", max_age="900"',
    );
    expect(await browser.post('/account/phone', { phone: '+49 1512 3456780' })).toSay('401 step_up_required');

    expect(await browser.post('/auth/step-up', { password: 'wrong one' })).toSay('401 incorrect_password');
    expect(await browser.get('/account/export')).toSay('401 step_up_required');
    const from = Math.floor(server.now() / 1000);
    const granted = await browser.post('/auth/step-up', { password });
    expect(granted).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 600 } });
    expect(claimsOf(browser)).toMatchObject({ amr: ['pwd'], acr: 'aal1' });
    expect(claimsOf(browser).auth_time).toBeGreaterThanOrEqual(from);
    expect(await browser.get('/account/export')).toSay('200');
  });

  test('replaces the current password in a password change, but only for an account with a second step', async () => {
    const { browser, email } = await register(server);
    const next = { password: 'seven wet umbrellas', password_repeat: 'seven wet umbrellas' };
    expect(await browser.post('/account/password', next)).toSay(
      '422 validation_failed current_password password_required',
    );
    const app = await addAuthenticator(server, browser);
    await letPass(server, browser, minutes(16));
    expect(await browser.post('/account/password', next)).toSay('401 step_up_required');
    await browser.post('/auth/step-up', { code: app.nextCode() });
    expect(await browser.post('/account/password', next)).toSay('204');
    const elsewhere = server.client();
    expect(await elsewhere.post('/auth/login', { email, password: next.password })).toSay('401 second_step_required');
  });

  test('counts only for the session that made it', async () => {
    const { browser, email } = await register(server);
    const other = await signedIn(server, email);
    await letPass(server, browser, minutes(16));
    await other.post('/auth/refresh');
    await other.post('/auth/step-up', { password });
    expect(await browser.get('/account/export')).toSay('401 step_up_required');
    expect(await other.get('/account/export')).toSay('200');
  });

  test('a password in the request replaces it, and a password in a request without that field does not', async () => {
    const { browser } = await register(server);
    await letPass(server, browser, minutes(16));
    expect(await browser.post('/account/phone', { phone: '+49 1512 3456780', password })).toSay('401 step_up_required');
    expect(await browser.post('/account/email', { email: 'next@example.com' })).toSay('401 step_up_required');
    expect(await remove(browser, {})).toSay('401 step_up_required');
    expect(await remove(browser, { password: 'wrong one' })).toSay('401 incorrect_password');
    expect(await remove(browser, { password })).toSay('204');
  });

  test('wrong guesses are limited by source, but an account of the same office keeps a few of its own', async () => {
    const ip = '192.0.2.77';
    const stepUp = async (browser: Client, secret: string) =>
      statusAndCode(await browser.post('/auth/step-up', { password: secret }, { 'x-forwarded-for': ip }));
    for (let person = 0; person < 4; person += 1) {
      const { browser } = await register(server);
      for (let time = 0; time < 5; time += 1) expect(await stepUp(browser, 'wrong one')).toBe('401 incorrect_password');
    }
    const neighbor = await register(server);
    for (let time = 0; time < 5; time += 1) expect(await stepUp(neighbor.browser, password)).toBe('200');
    const { browser } = await register(server);
    const guesses = await Promise.all(Array.from({ length: 8 }, () => stepUp(browser, 'wrong one')));
    expect(guesses.filter((response) => response === '401 incorrect_password')).toHaveLength(3);
    expect(guesses.filter((response) => response === '429 too_many_attempts')).toHaveLength(5);
    expect(await stepUp(browser, password)).toBe('429 too_many_attempts');
    expect(await stepUp(neighbor.browser, password)).toBe('200');
    expect(await browser.post('/auth/step-up', { password })).toSay('200');
    await letPass(server, browser, minutes(16));
    expect(await stepUp(browser, password)).toBe('200');
  });

  test('guesses share the lockout of signed-in users', async () => {
    const { browser } = await register(server);
    const guesses = Array.from({ length: 8 }, () => browser.post('/auth/step-up', { password: 'wrong one' }));
    const responses = (await Promise.all(guesses)).map(statusAndCode);
    expect(responses.filter((response) => response === '401 incorrect_password')).toHaveLength(5);
    expect(responses.filter((response) => response === '429 too_many_attempts')).toHaveLength(3);
    expect(await browser.post('/auth/step-up', { password })).toSay('429 too_many_attempts');
  });
});
