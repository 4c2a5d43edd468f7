import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { days, minutes } from '../../../contract/units.ts';
import { sha256 } from '../../../security/macs.ts';
import { accountParts } from '../../../server/wings.ts';
import { emailKey } from '../../../store/accounts/accounts.ts';
import { databaseFile, emptyLog } from '../../../store/sqlite/files.ts';
import { silentFor } from '../../../testing/alarms.ts';
import { type Client, statusAndCode } from '../../../testing/client.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { secretsIn } from '../../../testing/outbox.ts';
import {
  addComputer,
  confirmedPhone,
  digitsTo,
  kindsOf,
  password,
  proveAddress,
  register,
  registerProven,
  signedIn,
} from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';
import { deleteDueAccounts } from './delete-account.ts';
import { exportWith } from './export-account.contract.ts';

const leave = (browser: Client, secret = password) =>
  browser.send('DELETE', '/account', { body: { password: secret } });

const deleteDue = ({ store, now }: TestServer) => deleteDueAccounts({ store, now, outbox: { wake: () => undefined } });

const zebediah = {
  name: 'Zebediah Quark',
  email: 'zebediah@quark.example',
  phone: '+49 1577 7700123',
  organization: 'Quarkwerke',
  inn: '7707083893',
};

/** Texts that no table may contain after the deletion. */
const traces = ['Zebediah', 'zebediah', '7700123', 'Quarkwerke', '7707083893'];

/** The rows of all tables, and on SQLite also the contents of its files. */
async function everythingIn({ store, config }: TestServer): Promise<string> {
  const tables = await store.introspection.getTables();
  const rows = await Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(store)));
  const stored = JSON.stringify(rows.map((result) => result.rows));
  if (config.DATABASE_URL) return stored;
  const file = databaseFile(config.DATA_DIR);
  emptyLog(file);
  return stored + readFileSync(file, 'latin1') + readFileSync(`${file}-wal`, 'latin1');
}

describe.each(usualEngines)('deleting an account, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('needs the password, ends every session, and emails the owner how long it can be canceled', async () => {
    const { browser, email } = await register(server);
    const elsewhere = await signedIn(server, email);
    const { computer } = await addComputer(server, browser);
    expect(await leave(browser, 'not it at all')).toSay('401 incorrect_password');
    expect(await browser.get('/account')).toSay('200');
    expect(await leave(browser)).toSay('204');
    expect(browser.cookies.has('__Host-refresh_token')).toBe(false);
    for (const one of [browser, elsewhere]) expect(await one.get('/account')).toSay('401 not_signed_in');
    expect(await elsewhere.post('/auth/refresh')).toSay('401 session_ended ended_elsewhere');
    const beat = await computer.send('POST', '/computers/heartbeat', { body: {} });
    expect([statusAndCode(beat), beat.headers.get('retry-after')]).toEqual(['401 not_signed_in', '600']);
    expect((await server.mailTo(email, /will be deleted/)).text).toContain('sign in before then');
  });

  test('is canceled by a sign-in during the grace period, without any loss', async () => {
    const { browser, email } = await register(server);
    const { computer } = await addComputer(server, browser);
    await leave(browser);
    server.forward(days(6));
    const back = await browser.post('/auth/login', { email, password });
    expect(back).toMatchObject({ status: 200, body: { deletion_canceled: true } });
    expect(await computer.send('POST', '/computers/heartbeat', { body: {} })).toSay('204');
    server.forward(days(8));
    await deleteDue(server);
    const again = server.client();
    expect((await again.post('/auth/login', { email, password })).body).not.toHaveProperty('deletion_canceled');
    const kinds = ['signed_in', 'deletion_taken_back', 'signed_in', 'deletion_requested', 'registered'];
    expect(await kindsOf(again)).toEqual(kinds);
  });

  test('leaves no personal data in any table or in the database file', async () => {
    const own = await openTestServer(engine);
    const person = await register(own, zebediah);
    const otherNode = await register(own);
    await proveAddress(own, person);
    await person.browser.post('/auth/recovery', { email: zebediah.email, locale: 'en' });
    await person.browser.post('/auth/code', { email: zebediah.email, locale: 'en' });
    await own.client().post('/auth/login', { email: zebediah.email, password: 'wrong password' });
    await own.mailTo(zebediah.email, /code/i);
    const { computer } = await addComputer(own, person.browser, 'Zebediah’s laptop');
    const at = new Date(own.now()).toISOString();
    const records = [{ id: 'a', at, kind: 'start', text: 'Zebediah is here.' }];
    expect(await computer.send('POST', '/computers/records', { body: { records } })).toSay('202');
    await leave(person.browser);
    await own.mailTo(zebediah.email, /will be deleted/);
    expect(await everythingIn(own)).toContain('Zebediah');
    own.forward(days(7) + minutes(1));
    expect(await deleteDue(own)).toBe(1);
    await own.mailTo(zebediah.email, /was deleted/);
    const left = () => everythingIn(own).then((all) => traces.filter((trace) => all.includes(trace)));
    await expect.poll(left).toEqual([]);
    expect(await own.client().post('/auth/login', { email: zebediah.email, password })).toSay(/^401 /);
    expect(await own.client().post('/auth/login', { email: otherNode.email, password })).toSay('200');
    expect(await register(own, zebediah).then(({ browser }) => browser.get('/account'))).toSay('200');
  });
});

describe.each(usualEngines)('an export, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('is a file with all data of the account, but without secrets', async () => {
    const { browser, email } = await register(server, { organization: 'Acme' });
    const { computer } = await addComputer(server, browser);
    const at = new Date(server.now()).toISOString();
    await computer.send('POST', '/computers/records', {
      body: { records: [{ id: 'a', at, kind: 'start', text: 'On.' }] },
    });
    await browser.post('/account/alarms/rules', silentFor(30));
    const [{ id }] = (await browser.get('/computers')).body.computers;
    await browser.put(`/computers/${id}/alarms`, { mute: 60 });
    await browser.put(`/computers/${id}/tags`, { tags: ['Rack'] });
    const response = await browser.get('/account/export');
    expect(response.headers.get('content-disposition')).toContain('account-data.json');
    expect(response.body).toMatchObject({
      format: 1,
      account: { email, organization: 'Acme' },
      consents: [{ kind: 'personal_data', given: true }, { kind: 'offers' }],
      sessions: [{ end_reason: null }],
      devices: [{}],
      activity: [{ kind: 'registered' }, { kind: 'exported' }],
      computers: [{ name: 'Office', platform: 'linux', muted_until: expect.any(String) }],
      records: [{ at, kind: 'start', text: 'On.' }],
      notifications: [{ kind: 'computer_added', name: 'Office', read_at: expect.any(String) }],
      alarm_plans: { rules: [silentFor(30), {}, {}, {}], pauses: [], quiet_hours: null },
      emails: [{ notice: 'registered', recipient: email }],
    });
    expect(JSON.stringify(response.body)).not.toMatch(/argon2|password_hash|token_hash|email_key/);
  });
});

test('the schema in docs/ matches the export', () => {
  const { $schema: _, ...kept } = JSON.parse(readFileSync('docs/account-export.schema.json', 'utf8'));
  const { $schema: __, ...made } = z.toJSONSchema(exportWith(accountParts).response);
  expect(kept).toEqual(made);
});

describe.each(usualEngines)('another phone number, on %s,', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });

  test('needs a confirmed call, which works once, and notifies the owner by email', async () => {
    const { browser, email } = await register(server);
    const { phone, phone_confirmation } = await confirmedPhone(server);
    const response = await browser.post('/account/phone', { phone, phone_confirmation });
    expect(response).toMatchObject({ status: 200, body: { phone, phone_confirmed: true } });
    expect((await server.mailTo(email, /phone number/)).text).toContain(phone.slice(-2));
    const refused = '422 validation_failed phone_confirmation phone_not_confirmed';
    const { browser: other } = await register(server, { phone });
    expect(await other.post('/account/phone', { phone, phone_confirmation })).toSay(refused);
    const { call: _, ...next } = await confirmedPhone(server);
    expect(await browser.post('/account/phone', next)).toSay('200');
    expect(await browser.post('/account/phone', { phone, phone_confirmation })).toSay(refused);
  });

  test('changes once when a client repeats the request after a lost response', async () => {
    const { store } = server;
    const { browser, email } = await register(server);
    const { call: _, ...change } = await confirmedPhone(server);
    const responses = await Promise.all(Array.from({ length: 5 }, () => browser.copy().post('/account/phone', change)));
    server.forward(minutes(5));
    for (const response of [...responses, await browser.post('/account/phone', change)])
      expect(response).toMatchObject({ status: 200, body: { phone: change.phone, phone_confirmed: true } });
    expect((await kindsOf(browser)).filter((kind) => kind === 'phone_changed')).toHaveLength(1);
    const emails = store.selectFrom('outbox').select('id').where('recipient', '=', email);
    expect(await emails.where('notice', '=', 'phone_changed').execute()).toHaveLength(1);
  });

  test('is refused with a confirmation for another number', async () => {
    const { browser } = await register(server);
    const { phone_confirmation } = await confirmedPhone(server);
    const { phone: before } = (await browser.get('/account')).body;
    const responses = await Promise.all([
      browser.post('/account/phone', { phone: '+4915112340003', phone_confirmation }),
      browser.post('/account/phone', { phone: '+4915112340003', phone_confirmation: 'made.up' }),
      browser.post('/account/phone', { phone: '12' }),
    ]);
    expect(responses.map(statusAndCode)).toEqual([
      '422 validation_failed phone_confirmation phone_not_confirmed',
      '422 validation_failed phone_confirmation phone_not_confirmed',
      '422 validation_failed phone phone_invalid',
    ]);
    expect((await browser.get('/account')).body.phone).toBe(before);
  });
});

describe.each(usualEngines)('after a deletion, on %s,', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional', DELETION_GRACE_DAYS: '0' });

  test('no rate limit key contains the account, its address or the visitors who requested emails to it', async () => {
    const { store, client } = server;
    const { id, browser, email } = await registerProven(server);
    const stranger = client({ ip: '203.0.113.77' });
    for (const one of [browser, stranger]) {
      expect(await one.post('/auth/recovery', { email, locale: 'en' })).toSay('202');
      expect(await one.post('/auth/code', { email, locale: 'en' })).toSay('202');
      expect(await one.post('/auth/code/login', { email, code: '000000' })).toSay(/code_incorrect/);
    }
    expect(await browser.post('/account/email', { email: `next-${email}`, password })).toSay('202');
    expect((await browser.post('/computers/enrolments')).status).toBe(201);
    const keys = async () => (await store.selectFrom('limit_hits').select('key').execute()).map(({ key }) => key);
    const traces = [id, sha256(emailKey(email))];
    const naming = async () => (await keys()).filter((key) => traces.some((trace) => key.includes(trace)));
    const counted = new Set((await naming()).map((key) => key.split(':')[0]));
    expect([...counted].sort()).toEqual(['code', 'code-day', 'email-change', 'enrolment', 'notices-to', 'recovery']);
    const others = (await keys()).length - (await naming()).length;
    expect(await leave(browser)).toSay('204');
    expect(await naming()).toEqual([]);
    expect(await keys()).toHaveLength(others);
  });

  test('a stranger’s address keeps its limits when the account is deleted', async () => {
    const email = 'bertha@example.com';
    for (let time = 0; time < 3; time += 1) {
      const { browser } = await register(server, { email });
      expect(await browser.post('/account/email/resend', {})).toSay('202');
      expect(await leave(browser)).toSay('204');
    }
    const { browser } = await register(server, { email });
    expect(await browser.post('/account/email/resend', {})).toSay('429 too_many_mails');
  });

  test('a phone number that the account never confirmed keeps its limits and its current call', async () => {
    const phone = '+4915112350001';
    const owner = server.client({ ip: '203.0.113.78' });
    const { body } = await owner.post('/auth/phone/call', { phone, locale: 'en' });
    const thief = await register(server, { phone });
    expect(await leave(thief.browser)).toSay('204');
    const other = server.client({ ip: '203.0.113.79' });
    expect(await other.post('/auth/phone/call', { phone, locale: 'en' })).toSay('429 too_many_calls');
    const response = await owner.post('/auth/phone/confirm', {
      call: body.call,
      digits: await digitsTo(server, phone),
    });
    expect(response).toSay('200');
    const { phone_confirmation } = response.body;
    const { browser } = await register(server, { phone, phone_confirmation });
    expect((await browser.get('/account')).body).toMatchObject({ phone, phone_confirmed: true });
  });

  test('the call that confirmed its phone number is deleted, but other calls to the number stay', async () => {
    const { phone, phone_confirmation } = await confirmedPhone(server);
    const { browser } = await register(server, { phone, phone_confirmation });
    server.forward(minutes(2));
    const other = server.client({ ip: '203.0.113.81' });
    const { body: later } = await other.post('/auth/phone/call', { phone, locale: 'en' });
    expect(await leave(browser)).toSay('204');
    const { store } = server;
    const left = await store.selectFrom('phone_calls').select('id').where('phone', '=', phone).execute();
    expect(left).toEqual([{ id: later.call }]);
  });

  test('an address that strangers register and delete in turn gets few emails, and its owner is not kept out', {
    tags: 'full',
  }, async () => {
    const { store, mailTo, mails, client } = server;
    const email = 'agnes@example.com';
    const registerAndLeave = async () => leave((await register(server, { email })).browser);
    for (let time = 1; time <= 5; time += 1) {
      const { browser } = await register(server, { email });
      await mailTo(email, /./, 2 * time - 1);
      expect(await leave(browser)).toSay('204');
      await mailTo(email, /was deleted/, time);
    }
    for (let time = 0; time < 3; time += 1) expect(await registerAndLeave()).toSay('204');
    const { browser } = await register(server, { email });
    const waiting = await store.selectFrom('outbox').select('id').where('recipient', '=', email).execute();
    expect([waiting, (await mails(email)).length]).toEqual([[], 10]);
    // The link that gives a stolen account back has a limit of its own.
    expect(await browser.post('/account/email', { email: `next-${email}`, password })).toSay('202');
    const hash = await secretsIn(server, `next-${email}`).changeLink();
    expect(await browser.post('/account/email/change', { hash })).toSay('200');
    const undo = await secretsIn(server, email).undoLink();
    expect(await browser.post('/account/email/undo', { hash: undo })).toSay('200');

    const owner = client({ ip: '203.0.113.90' });
    expect(await owner.post('/auth/code', { email, locale: 'en' })).toSay('202');
    const code = await secretsIn(server, email).signInCode();
    expect(await owner.post('/auth/code/login', { email, code })).toSay('200');
    expect((await owner.get('/account')).body.email_confirmed).toBe(true);
    await mailTo(email, /Set a password for your/);
    expect(await owner.send('DELETE', '/account', { body: {} })).toSay('204');
    await mailTo(email, /was deleted/, 6);
  });

  test('an address that strangers register and then replace gets at most ten undo links a day', {
    tags: 'full',
  }, async () => {
    const { store, mails } = server;
    const email = 'amelie@example.com';
    const changed = async () => (await mails(email)).filter(({ subject }) => /was changed$/.test(subject)).length;
    const registerAndReplace = async (next: string) => {
      const { browser } = await register(server, { email });
      expect(await browser.post('/account/email', { email: next, password })).toSay('202');
      const hash = await secretsIn(server, next).changeLink();
      expect(await browser.post('/account/email/change', { hash })).toSay('200');
    };
    for (let time = 1; time <= 12; time += 1) await registerAndReplace(`elsewhere${time}@example.com`);
    const waiting = store.selectFrom('outbox').select('id').where('recipient', '=', email).where('sent_at', 'is', null);
    await expect.poll(() => waiting.execute()).toEqual([]);
    expect(await changed()).toBe(10);
    server.forward(days(1));
    await registerAndReplace('elsewhere13@example.com');
    await expect.poll(changed).toBe(11);
  });
});
