import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { minutes } from '../../../contract/units.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { openKeyEncryption } from '../../../security/macs.ts';
import { mailCodes } from '../../../store/access/sign-in-codes.ts';
import { emailKey, findAccount, findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { type Client, statusAndCode, type TestResponse } from '../../../testing/client.ts';
import { engines, lockWaits, withPostgres } from '../../../testing/databases/databases.ts';
import { addComputer, password, register } from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

interface Person {
  readonly server: TestServer;
  readonly email: string;
  readonly browser: Client;
  readonly computer: Client;
  /** Secrets from the emails that they received. */
  readonly code: string;
  readonly resetHash: string;
  readonly changeHash: string;
  readonly enrolment: string;
}

const found = (pattern: RegExp, text: string) => pattern.exec(text)?.[1] ?? expect.fail(text);

/** Registers a person with a computer and open requests of every kind. */
async function openPerson(server: TestServer): Promise<Person> {
  const { email, browser } = await register(server);
  const { computer } = await addComputer(server, browser);
  const { code: enrolment } = (await browser.post('/computers/enrolments')).body;
  const next = `next-${email}`;
  for (const [path, body] of [
    ['/auth/code', { email, locale: 'en' }],
    ['/auth/recovery', { email, locale: 'en' }],
    ['/account/email', { email: next, password }],
  ] as const)
    expect([path, statusAndCode(await browser.post(path, body))]).toEqual([path, '202']);
  return {
    ...{ server, email, browser, computer, enrolment },
    code: found(/^(\d{6})$/m, (await server.mailTo(email, /sign-in code/)).text),
    resetHash: found(/reset-password\/\S+hash=([\w-]+)/, (await server.mailTo(email, /new password/i)).text),
    changeHash: found(/change-email\/\S+hash=([\w.-]+)/, (await server.mailTo(next)).text),
  };
}

const another = 'snow on a warm roof';
const reset = { password: another, password_repeat: another };

/** Requests that may run in parallel with the deletion. */
const requests: Record<string, (person: Person, time: number) => Promise<TestResponse>> = {
  'a refresh': ({ browser }) => browser.copy().post('/auth/refresh'),
  'a sign-in': ({ server, email }) => server.client().post('/auth/login', { email, password }),
  'a sign-in with a wrong password': ({ server, email }) =>
    server.client().post('/auth/login', { email, password: another }),
  'a sign-in by code': ({ browser, email, code }) => browser.copy().post('/auth/code/login', { email, code }),
  'a request for a code': ({ browser, email }) => browser.copy().post('/auth/code', { email, locale: 'en' }),
  'a request for a reset link': ({ server, email }) => server.client().post('/auth/recovery', { email, locale: 'en' }),
  'a reset': ({ server, email, resetHash: hash }) =>
    server.client().post('/auth/reset-password', { email, hash, ...reset }),
  'a sign-out': ({ browser }) => browser.copy().post('/auth/logout'),
  'another deletion': ({ browser }) => browser.copy().send('DELETE', '/account', { body: { password } }),
  'a change of name': ({ browser }, time) => browser.send('PATCH', '/account', { body: { name: `Anna ${time}` } }),
  'a consent to offers': ({ browser }, time) =>
    browser.send('PATCH', '/account', { body: { consent_offers: time % 2 === 0 } }),
  'a change of password': ({ browser }) =>
    browser.copy().put('/account/password', { current_password: password, ...reset }),
  'a request for another address': ({ browser, email }, time) =>
    browser.post('/account/email', { email: `${time}-${email}`, password }),
  'a change of address': ({ server, changeHash: hash }) => server.client().post('/account/email/change', { hash }),
  'an export': ({ browser }) => browser.get('/account/export'),
  'a read of the account': ({ browser }) => browser.get('/account'),
  'a last place': ({ browser }) => browser.put('/additionally/way', { place: '/dashboard/' }),
  'the end of all other sessions': ({ browser }) => browser.send('DELETE', '/account/sessions', {}),
  'a code for a computer': ({ browser }) => browser.post('/computers/enrolments'),
  'a new computer': ({ server, enrolment: code }) =>
    server.client().post('/computers/enrol', { code, name: 'Home', platform: 'linux' }),
  'a heartbeat': ({ computer }) => computer.send('POST', '/computers/heartbeat', { body: {} }),
  'records of a computer': ({ computer, server }, time) => {
    const record = { id: `r${time}`, at: new Date(server.now()).toISOString(), kind: 'start', text: 'On.' };
    return computer.send('POST', '/computers/records', { body: { records: [record] } });
  },
  'a computer that removes itself': ({ computer }) => computer.send('DELETE', '/computers/me', {}),
  'a read of all notifications': ({ browser }) => browser.post('/account/notifications/read'),
};

/** Deletes the account while a request repeats, from before to after. Returns all responses. */
async function raceWithDeletion(person: Person, request: (typeof requests)[string]) {
  const deletion = person.browser.copy().send('DELETE', '/account', { body: { password } });
  const responses: Promise<TestResponse>[] = [];
  for (let time = 0; time < 12; time += 1) {
    responses.push(request(person, time));
    await pause(2);
  }
  return { deletion: statusAndCode(await deletion), responses: (await Promise.all(responses)).map(statusAndCode) };
}

const isFault = (response: string) => /^5/.test(response) && response !== '503 try_again_later';

describe.each(engines)('an immediate deletion, on %s,', async (engine) => {
  const server = await openTestServer(engine, { DELETION_GRACE_DAYS: '0', RECOVERY_MAILS_PER_ADDRESS: '1000' });

  test.each(Object.entries(requests))(
    'in parallel with %s, causes no error and leaves no rows',
    async (_what, request) => {
      const person = await openPerson(server);
      const { id } = (await findAccountByEmail(server.store, person.email)) ?? expect.fail('no account');
      const { deletion, responses } = await raceWithDeletion(person, request);
      expect([deletion, ...responses].filter(isFault)).toEqual([]);
      const left = await findAccount(server.store, id);
      const isGone = left === undefined;
      // If a change of address committed first, the account is kept while the change can be undone, for 72 hours. If a
      // change of password committed first, the deletion is refused.
      const isKept = left?.delete_at != null && left.email !== person.email;
      if (deletion === '204') expect(isGone || isKept).toBe(true);
      const tables = await server.store.introspection.getTables();
      const owned = tables.filter(({ columns }) => columns.some(({ name }) => name === 'account_id'));
      for (const { name } of isGone ? owned : []) {
        const { rows } = await sql`select * from ${sql.table(name)} where account_id = ${id}`.execute(server.store);
        expect([name, rows]).toEqual([name, []]);
      }
    },
  );
});

test.runIf(withPostgres)('an immediate deletion waits for an email that is being written, and deletes it', async () => {
  const server = await openTestServer('postgres', { DELETION_GRACE_DAYS: '0' });
  const { email, browser } = await register(server);
  const account = (await findAccountByEmail(server.store, email)) ?? expect.fail('no account');
  const deletion = await server.store.transaction().execute(async (trx) => {
    const [at, params] = [server.now(), { code: '123456', device: '', ip: '', when: server.now() }];
    const queued = await enqueueEmail(trx, {
      notice: 'sign_in_code',
      params,
      account,
      at,
      secrets: openKeyEncryption(undefined),
    });
    const code = { id: 'c', email_key: emailKey(email), account_id: account.id, outbox_id: queued, proof: '' };
    await mailCodes.add(trx, { ...code, attempts_left: 3, created_at: at });
    const begun = browser.send('DELETE', '/account', { body: { password } });
    await expect.poll(() => lockWaits(server.store), { timeout: minutes(1) }).toBe(1);
    return { begun };
  });
  expect(await deletion.begun).toSay('204');
  const left = server.store.selectFrom('outbox').select('notice').where('account_id', '=', account.id);
  expect(await left.execute()).toEqual([]);
});
