import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openInbox } from '../../development-inbox/inbox.ts';
import { findAccounts } from '../../store/accounts/find-accounts.ts';
import { claimsOf, openClient, sendAndCut, statusAndCode } from '../../testing/client.ts';
import { freshDatabase, usualEngines } from '../../testing/databases/databases.ts';
import { outages } from '../../testing/databases/outages.ts';
import { ask } from '../../testing/guarded-app.ts';
import { form, password, register, sendSecrets } from '../../testing/people.ts';
import { type ServiceProcess, startProcess } from '../../testing/process.ts';
import { openTestServer } from '../../testing/test-server.ts';

/** Registers a user in a new browser. */
async function join({ url }: ServiceProcess) {
  const browser = openClient(url, { ip: '203.0.113.7' });
  const person = form();
  expect(await browser.post('/auth/register', person)).toSay('201');
  return { browser, person, email: String(person.email) };
}

describe.each(usualEngines)('the log of requests, on %s', async (engine) => {
  const database = await freshDatabase(engine);
  const service = await startProcess(database, { LOG_LEVEL: 'debug', PASSWORD_PEPPER: 'pepper of the service' });

  test('shows by account, session and reference why someone was signed out', async () => {
    const { browser, email } = await join(service);
    const { sub, sid } = claimsOf(browser);
    const other = openClient(service.url);
    await other.post('/auth/login', { email, password });
    await other.post('/account/password', {
      current_password: password,
      password: 'wind over high corn',
      password_repeat: 'wind over high corn',
    });
    expect(await browser.get('/account')).toSay('401 not_signed_in');
    const refused = await browser.post('/auth/refresh');
    expect(refused).toSay('401 session_ended password_changed');
    const thief = other.copy();
    await other.post('/auth/refresh');
    await other.post('/auth/refresh');
    await thief.post('/auth/refresh');
    await other.post('/auth/logout');

    const lines = () => service.log().filter(({ account, msg }) => account === sub && msg === 'request');
    const logged = () => lines().map(({ route, status, code, reason }) => [route, status, code, reason]);
    await expect.poll(logged).toEqual([
      ['/auth/register', 201, undefined, undefined],
      ['/auth/login', 200, undefined, undefined],
      ['/account/password', 204, undefined, undefined],
      ['/account', 401, 'not_signed_in', undefined],
      ['/auth/refresh', 401, 'session_ended', 'password_changed'],
      ['/auth/refresh', 200, undefined, undefined],
      ['/auth/refresh', 200, undefined, undefined],
      ['/auth/refresh', 401, 'session_ended', 'reused'],
      ['/auth/logout', 204, undefined, undefined],
    ]);
    expect(lines()[4]).toMatchObject({ session: sid, reqId: refused.headers.get('x-request-id'), ip: '203.0.113.7' });
  });

  test('names the account of a wrong password, but not of an unknown address', async () => {
    const { browser, email } = await join(service);
    const wrong = (address: string) =>
      openClient(service.url).post('/auth/login', { email: address, password: 'no such thing' });
    await wrong(email);
    await wrong('nobody@example.com');
    const lines = () => service.log().filter((line) => line.code === code);
    const code = 'incorrect_login_or_password';
    await expect.poll(lines).toMatchObject([{ account: claimsOf(browser).sub, code }, { code }]);
    expect(lines()[1]).not.toHaveProperty('account');
  });

  test('names the account whose address a link changes, or changes back, in a browser that is not signed in', async () => {
    const { dataDir } = await database;
    const { browser, email } = await join(service);
    const next = `new-${email}`;
    const linkTo = async (address: string, link = /hash=([\w-]+)/): Promise<string> => {
      const found = async () =>
        (await openInbox(dataDir).list()).find(({ to, text }) => to === address && link.test(text));
      await expect.poll(found).toBeDefined();
      return link.exec((await found())?.text ?? '')?.[1] ?? '';
    };
    await browser.post('/account/email', { email: next, password });
    const other = openClient(service.url);
    expect(await other.post('/account/email/change', { hash: await linkTo(next) })).toSay('200');
    const undone = await other.post('/account/email/undo', { hash: await linkTo(email, /hash=(undo\.[\w-]+)/) });
    expect([statusAndCode(undone), Object.keys(undone.body).sort()]).toEqual(['200', ['email', 'removed', 'reset']]);
    const { sub } = claimsOf(browser);
    const lines = () => service.log().filter(({ route }) => /email\/(?:change|undo)/.test(String(route)));
    await expect.poll(lines).toMatchObject([{ account: sub }, { account: sub }]);
  });

  test('has a line for a request whose client has left', async () => {
    const { email } = await join(service);
    const browser = openClient(service.url);
    for (const after of [0, 1, 3, 8]) {
      await sendAndCut({ ...service, browser, path: '/auth/login', body: { email, password }, after });
    }
    const signIns = () => service.log().filter(({ route, left }) => route === '/auth/login' && left);
    await expect.poll(signIns).toMatchObject(Array.from({ length: 4 }, () => ({ status: 200 })));
  });

  test('reports a request whose headers are too large', async () => {
    const response = await ask(`${service.url}/`, { cookie: `a=${'x'.repeat(66_000)}` });
    expect(response.status).toBe(431);
    const says = 'a request was refused: its headers exceed 64 kB';
    await expect.poll(() => service.log().filter(({ msg }) => msg === says)).toMatchObject([{ level: 40 }]);
  });

  test('reports an incomplete body once and without a stack', async () => {
    const browser = openClient(service.url);
    await browser.get('/auth/csrf');
    const headers = { 'content-length': '4000' };
    await sendAndCut({ ...service, browser, path: '/auth/login', headers, after: 50 });
    const lines = () => service.log().filter(({ code }) => code === 'malformed_request');
    await expect.poll(lines).toMatchObject([{ route: '/auth/login', level: 30, left: true }]);
    const [{ reqId } = { reqId: undefined }] = lines();
    const logged = service.log().filter((line) => line.reqId === reqId);
    expect(logged.filter(({ level, err }) => Number(level) >= 40 || err !== undefined)).toEqual([]);
  });

  test('contains neither credentials nor names, email addresses or phone numbers', async () => {
    const { browser, person, email } = await join(service);
    const secrets = [
      password,
      email,
      'Anna Berg',
      '15123456789',
      '1512 3456789',
      'pepper of the service',
      String(browser.token),
    ];
    await browser.post('/auth/refresh');
    secrets.push(String(browser.token), ...browser.cookies.values());
    secrets.push(...(await sendSecrets(browser, { email, person })));
    await browser.post('/csp-report', { 'csp-report': { 'blocked-uri': 'https://x.example/secret-of-a-link' } });
    await service.stop();
    expect(service.log().length).toBeGreaterThan(12);
    expect(secrets.filter((secret) => secret.length > 3 && service.output().includes(secret))).toEqual([]);
  });
});

test.each(usualEngines)(
  'an outage is logged once with its stack and then as a count, with a short line per request, on %s',
  async (engine) => {
    const { database, begin, end } = await outages[engine]();
    const service = await startProcess(database);
    const { browser } = await join(service);
    begin();
    const before = service.output().length;
    const requests = 60;
    const responses = await Promise.all(
      Array.from({ length: requests }, () => browser.copy().post('/auth/recovery', { email: 'a@b.cd', locale: 'en' })),
    );
    expect(new Set(responses.map(statusAndCode))).toEqual(new Set(['503 try_again_later']));
    await service.stop();
    end();
    const written = service.output().slice(before);
    const lines = service.log().filter(({ route }) => route === '/auth/recovery');
    expect(lines).toHaveLength(requests);
    const again = service.log().filter(({ msg }) => msg === 'a dependency failed, again');
    const times = again.reduce((sum, line) => sum + Number(line.times), 0);
    const whole = service.log().filter(({ msg }) => msg === 'a dependency failed').length;
    expect(whole + times).toBe(requests);
    expect(whole).toBeLessThan(10);
    expect(written.length / requests).toBeLessThan(600);
  },
);

test('the reference of an error leads to the person who saw it, and to nobody for strangers', async () => {
  const server = await openTestServer('sqlite');
  const { email, browser } = await register(server);
  await sql`drop table activity`.execute(server.store);
  const find = async (text: string) => {
    const search = { text, filter: {}, wholeContacts: true, origin: server.config.PUBLIC_URL, limit: 9 };
    return (await findAccounts(server.store, search)).accounts.map((account) => account.email);
  };
  const { status, headers } = await browser.get('/account/activity');
  expect(status).toBe(500);
  await expect.poll(() => find(headers.get('x-request-id') ?? '')).toEqual([email]);
  const refused = await server.client().get('/account/activity');
  expect(await find(refused.headers.get('x-request-id') ?? '')).toEqual([]);
});
