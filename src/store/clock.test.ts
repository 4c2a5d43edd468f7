import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { days, minutes, seconds } from '../contract/units.ts';
import { statusAndCode } from '../testing/client.ts';
import { engines, migratedDatabase, openTestStore } from '../testing/databases/databases.ts';
import { password, register, registerOwner, registerProven } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';
import { openClock } from './clock.ts';

describe.each(engines)('after the clock was a year ahead, on %s', (engine) => {
  test('no lockout or limit lasts longer than its own maximum', async () => {
    const server = await openTestServer(engine);
    const { browser, email } = await registerProven(server);
    const stranger = server.client();
    const requests = {
      'a sign-in': (guess: string) => stranger.post('/auth/login', { email, password: guess }),
      'a step-up': (guess: string) => browser.post('/auth/step-up', { password: guess }),
      'a code by email': () => stranger.post('/auth/code', { email, locale: 'en' }),
      'a recovery': () => stranger.post('/auth/recovery', { email, locale: 'en' }),
      'a change of address': (_: string, at: number) =>
        browser.post('/account/email', { email: `new${at}@mail.example`, password }),
      'an export': () => browser.get('/account/export'),
    } satisfies Record<string, (guess: string, at: number) => Promise<unknown>>;
    const all = Object.entries(requests);

    server.forward(days(365));
    await browser.post('/auth/login', { email, password });
    for (const [name, send] of all) {
      let refused = false;
      for (let at = 0; at < 40 && !refused; at += 1) refused = (await send('wrong guess', at)).status === 429;
      expect(refused, name).toBe(true);
    }
    server.forward(-days(365));
    await browser.post('/auth/login', { email, password });
    for (const [name, send] of all) expect((await send(password, 99)).status, name).toBeLessThan(300);
  });

  test('no proof of identity and no secret of then works', async () => {
    const server = await openTestServer(engine);
    server.forward(days(365));
    const owner = await registerOwner(server);
    const { email, browser } = await register(server);
    const { invitation } = (await owner.post('/operators/invitations', { email, role: 'viewer' })).body;
    const { code } = (await browser.post('/computers/enrolments', { password })).body;
    await browser.post('/auth/recovery', { email, locale: 'en' });
    const { text } = await server.mailTo(email, /password/i);
    const [, hash] = /hash=([\w-]+)/.exec(text) ?? [];
    server.forward(-days(365));
    await Promise.all([owner, browser].map((one) => one.post('/auth/refresh')));
    const added = { code, name: 'Office', platform: 'linux' };
    expect({
      'a sensitive request': statusAndCode(await browser.post('/account/authenticator')),
      'a change by an operator': statusAndCode(await owner.post('/operators/api-keys', { name: 'n', role: 'viewer' })),
      'a request of an operator': statusAndCode(await owner.get('/operators/me')),
      'a code for a computer': statusAndCode(await browser.send('POST', '/computers/enrol', { body: added })),
      'a link': statusAndCode(await browser.post('/auth/reset-password/check', { email, hash })),
    }).toEqual({
      'a sensitive request': '401 step_up_required',
      'a change by an operator': '401 step_up_required',
      'a request of an operator': '401 step_up_required',
      'a code for a computer': '410 enrolment_invalid',
      'a link': '410 reset_link_invalid',
    });
    await browser.post('/auth/step-up', { password });
    await server.store.updateTable('sessions').set({ acr: 'aal2' }).execute();
    const accepted = await browser.post('/operators/invitations/accept', { invitation });
    expect(statusAndCode(accepted)).toBe('410 invitation_invalid');
  });

  test('nor do guesses whose outcome is unknown', async () => {
    const server = await openTestServer(engine);
    const { email } = await register(server);
    const signIn = (typed: string) => server.client().post('/auth/login', { email, password: typed });
    await signIn('wrong guess');
    const year = server.now() + days(365);
    await server.store
      .updateTable('lockouts')
      .set({ pending: 5, pending_since: year, last_failure_at: year })
      .execute();
    expect(await signIn(password)).toSay('200');
    expect(await server.store.selectFrom('lockouts').select('locked_until').execute()).toEqual([{ locked_until: 0 }]);
  });

  test('a lockout from a clock that was right holds, on a node whose clock is a little behind', async () => {
    const server = await openTestServer(engine);
    const { email } = await register(server);
    const signIn = (typed: string) => server.client().post('/auth/login', { email, password: typed });
    for (let times = 0; times < 5; times += 1) await signIn('wrong guess');
    server.forward(-minutes(0.5));
    expect(await signIn(password)).toMatchObject({ status: 429, body: { code: 'too_many_attempts', minutes: 2 } });
  });
});

test('a jump of the clock is logged once, and ordinary time is not', async () => {
  const store = openTestStore(await migratedDatabase('sqlite'));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const jumps: object[] = [];
  let ahead = 0;
  const clock = await openClock(store, {
    wallClock: () => Date.now() + ahead,
    log: { info: () => undefined, error: () => undefined, warn: (details, says) => jumps.push({ ...details, says }) },
  });
  await vi.advanceTimersByTimeAsync(minutes(5));
  expect(jumps).toEqual([]);
  ahead = -minutes(10);
  await vi.advanceTimersByTimeAsync(minutes(5));
  ahead += seconds(1);
  await vi.advanceTimersByTimeAsync(minutes(5));
  expect(jumps).toEqual([{ by: -minutes(10), says: 'the clock jumped' }]);
  clock.stop();
});
