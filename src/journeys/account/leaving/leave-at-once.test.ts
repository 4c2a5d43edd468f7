import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { findAccount, findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { type Answer, type Client, said } from '../../../testing/client.ts';
import { engines } from '../../../testing/databases/databases.ts';
import { type House, openHouse } from '../../../testing/house.ts';
import { password, register } from '../../../testing/people.ts';

interface Person {
  readonly house: House;
  readonly email: string;
  readonly browser: Client;
  readonly computer: Client;
  /** Secrets of the letters that they got. */
  readonly code: string;
  readonly resetHash: string;
  readonly changeHash: string;
  readonly enrolment: string;
}

const found = (pattern: RegExp, text: string) => pattern.exec(text)?.[1] ?? expect.fail(text);

/** Somebody who has asked for everything that can be asked for. */
async function openPerson(house: House): Promise<Person> {
  const { email, browser } = await register(house);
  const { code: first } = (await browser.post('/computers/enrolments')).body;
  const computer = house.client();
  const enrolled = await computer.post('/computers/enrol', { code: first, name: 'Office', platform: 'linux' });
  computer.token = enrolled.body.device_token;
  const { code: enrolment } = (await browser.post('/computers/enrolments')).body;
  const next = `next-${email}`;
  for (const [path, body] of [
    ['/auth/code', { email, locale: 'en' }],
    ['/auth/recovery', { email, locale: 'en' }],
    ['/account/email', { email: next, password }],
  ] as const)
    expect([path, said(await browser.post(path, body))]).toEqual([path, '202']);
  return {
    ...{ house, email, browser, computer, enrolment },
    code: found(/^(\d{6})$/m, (await house.mailTo(email, /sign-in code/)).text),
    resetHash: found(/reset-password\/\S+hash=([\w-]+)/, (await house.mailTo(email, /new password/i)).text),
    changeHash: found(/change-email\/\S+hash=([\w.-]+)/, (await house.mailTo(next)).text),
  };
}

const another = 'snow on a warm roof';
const reset = { password: another, password_repeat: another };

/** What else may be asked for at that moment. */
const requests: Record<string, (person: Person, time: number) => Promise<Answer>> = {
  'a refresh': ({ browser }) => browser.copy().post('/auth/refresh'),
  'a sign-in': ({ house, email }) => house.client().post('/auth/login', { email, password }),
  'a sign-in with a wrong password': ({ house, email }) =>
    house.client().post('/auth/login', { email, password: another }),
  'a sign-in by code': ({ browser, email, code }) => browser.copy().post('/auth/code/login', { email, code }),
  'a wish for a code': ({ browser, email }) => browser.copy().post('/auth/code', { email, locale: 'en' }),
  'a wish for a reset link': ({ house, email }) => house.client().post('/auth/recovery', { email, locale: 'en' }),
  'a reset': ({ house, email, resetHash: hash }) =>
    house.client().post('/auth/reset-password', { email, hash, ...reset }),
  'a sign-out': ({ browser }) => browser.copy().post('/auth/logout'),
  'another deletion': ({ browser }) => browser.copy().send('DELETE', '/account', { body: { password } }),
  'a change of the name': ({ browser }, time) => browser.send('PATCH', '/account', { body: { name: `Anna ${time}` } }),
  'an agreement to offers': ({ browser }, time) =>
    browser.send('PATCH', '/account', { body: { consent_offers: time % 2 === 0 } }),
  'a change of the password': ({ browser }) =>
    browser.copy().put('/account/password', { current_password: password, ...reset }),
  'a wish for another address': ({ browser, email }, time) =>
    browser.post('/account/email', { email: `${time}-${email}`, password }),
  'a change of the address': ({ house, changeHash: hash }) => house.client().post('/account/email/change', { hash }),
  'an export': ({ browser }) => browser.get('/account/export'),
  'a reading of the account': ({ browser }) => browser.get('/account'),
  'a last place': ({ browser }) => browser.put('/additionally/way', { place: '/dashboard/' }),
  'the end of all other sessions': ({ browser }) => browser.send('DELETE', '/account/sessions', {}),
  'a code for a computer': ({ browser }) => browser.post('/computers/enrolments'),
  'a new computer': ({ house, enrolment: code }) =>
    house.client().post('/computers/enrol', { code, name: 'Home', platform: 'linux' }),
  'a heartbeat': ({ computer }) => computer.send('POST', '/computers/heartbeat', { body: {} }),
  'records of a computer': ({ computer, house }, time) => {
    const record = { id: `r${time}`, at: new Date(house.now()).toISOString(), kind: 'start', text: 'On.' };
    return computer.send('POST', '/computers/records', { body: { records: [record] } });
  },
  'a computer that leaves': ({ computer }) => computer.send('DELETE', '/computers/me', {}),
  'reading all notifications': ({ browser }) => browser.post('/account/notifications/read'),
};

/** Deletes the account while a request comes again and again, from before to after; tells what was answered. */
async function raceWithDeletion(person: Person, request: (typeof requests)[string]) {
  const deletion = person.browser.copy().send('DELETE', '/account', { body: { password } });
  const answers: Promise<Answer>[] = [];
  for (let time = 0; time < 12; time += 1) {
    answers.push(request(person, time));
    await pause(2);
  }
  return { deletion: said(await deletion), answers: (await Promise.all(answers)).map(said) };
}

const isFault = (answer: string) => /^5/.test(answer) && answer !== '503 try_again_later';

describe.each(engines)('an account that is deleted at once, on %s,', (engine) => {
  const opened = openHouse(engine, { DELETION_GRACE_DAYS: '0', RECOVERY_MAILS_PER_ADDRESS: '1000' });

  test.each(Object.entries(requests))(
    'while there is %s, fails at nothing and leaves nothing',
    async (_what, request) => {
      const house = await opened;
      const person = await openPerson(house);
      const { id } = (await findAccountByEmail(house.store, person.email)) ?? expect.fail('no account');
      const { deletion, answers } = await raceWithDeletion(person, request);
      expect([deletion, ...answers].filter(isFault)).toEqual([]);
      const left = await findAccount(house.store, id);
      const isGone = left === undefined;
      // A change of address that was quicker can be undone for 72 hours, and the account is kept for as long. A deletion
      // that compares a password which was just changed is refused.
      const isKept = left?.delete_at != null && left.email !== person.email;
      if (deletion === '204') expect(isGone || isKept).toBe(true);
      const tables = await house.store.introspection.getTables();
      const owned = tables.filter(({ columns }) => columns.some(({ name }) => name === 'account_id'));
      for (const { name } of isGone ? owned : []) {
        const { rows } = await sql`select * from ${sql.table(name)} where account_id = ${id}`.execute(house.store);
        expect([name, rows]).toEqual([name, []]);
      }
    },
  );
});
