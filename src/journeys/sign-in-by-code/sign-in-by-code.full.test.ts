import { describe, expect, it } from 'vitest';
import { hours } from '../../contract/units.ts';
import { statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const ask = async (browser: ReturnType<TestServer['client']>, email: string) => {
  const response = await browser.post('/auth/code', { email, locale: 'en' });
  expect(response).toMatchObject({ status: 202, body: {} });
};

const enter = (browser: ReturnType<TestServer['client']>, email: string, code: unknown) =>
  browser.post('/auth/code/login', { email, code });

describe.each(usualEngines)('an emailed code, on %s,', (engine) => {
  /** Requests codes from a source until the service refuses, with three guesses at each. Returns how many were sent. */
  async function guessAll(at: TestServer, { email, ip }: { email: string; ip: string }): Promise<number> {
    for (let codes = 0; ; codes += 1) {
      const browser = at.client({ ip });
      const { status } = await browser.post('/auth/code', { email, locale: 'en' });
      if (status === 429) return codes;
      for (let guess = 0; guess < 3; guess += 1) await enter(browser, email, '000000');
    }
  }

  it('always works for its owner in a new browser, whatever strangers guess', async () => {
    const server = await openTestServer(engine, { RECOVERY_MAILS_PER_ACCOUNT: '100' });
    const { email } = await register(server);
    const own = server.client({ ip: '192.0.2.1' });
    await ask(own, email);
    const code = /^\d{6}$/m.exec((await server.mailTo(email, /sign-in code/)).text)?.[0];
    for (let source = 1; source <= 8; source += 1) await guessAll(server, { email, ip: `198.51.100.${source}` });
    expect(statusAndCode(await enter(own, email, code))).toBe('200');
  });

  it('is sent five times a day per source and twenty times in total, which bounds guessing', async () => {
    const server = await openTestServer(engine, { RECOVERY_MAILS_PER_ACCOUNT: '100' });
    const { email, browser: known } = await register(server);
    const from = (source: number) => guessAll(server, { email, ip: `198.51.100.${source}` });
    expect([await from(1), await from(1)]).toEqual([5, 0]);
    // A stranger with one source does not use up the owner's limit in a new browser.
    const own = server.client({ ip: '192.0.2.1' });
    await ask(own, email);
    expect([await from(2), await from(3), await from(4), await from(5)]).toEqual([5, 5, 4, 0]);
    expect(statusAndCode(await own.post('/auth/code', { email, locale: 'en' }))).toBe('429 too_many_requests');
    // A known browser does not wait for strangers.
    const before = (await server.mails(email)).length;
    await ask(known, email);
    await expect.poll(async () => (await server.mails(email)).length).toBeGreaterThan(before);
    const code = /^\d{6}$/m.exec((await server.mailTo(email, /sign-in code/)).text)?.[0];
    expect(statusAndCode(await enter(known, email, code))).toBe('200');
    server.forward(hours(25));
    await ask(own, email);
    expect(await from(1)).toBe(5);
  });
});
