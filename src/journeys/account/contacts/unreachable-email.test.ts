import { afterAll, describe, expect, test } from 'vitest';
import { hours } from '../../../contract/units.ts';
import { findSuppressed } from '../../../store/emails/suppression-list.ts';
import { type Client, statusAndCode } from '../../../testing/client.ts';
import { placeOf, runCommand } from '../../../testing/command-line.ts';
import { engines, usualEngines } from '../../../testing/databases/databases.ts';
import { type MailServer, openMailServer, refusal } from '../../../testing/mail/smtp-server.ts';
import { eventually } from '../../../testing/outbox.ts';
import { form, password, register } from '../../../testing/people.ts';
import { openTestServer, type TestServer } from '../../../testing/test-server.ts';

/** Addresses without a mailbox on the mail server. */
const unknownAddresses = new Set<string>();

/** A mail server that accepts all other addresses. */
const open = (): Promise<MailServer> =>
  openMailServer({
    onRcptTo({ address }, _session, done) {
      done(unknownAddresses.has(address) ? refusal(550, `5.1.1 <${address}>: no such mailbox`) : undefined);
    },
  });

const mailsTo = ({ arrived }: MailServer, address: string) =>
  arrived.filter(({ envelope }) => envelope.to.includes(address)).map(({ mail }) => mail);

async function mailTo(server: MailServer, address: string, subject: RegExp) {
  await eventually(() =>
    expect(mailsTo(server, address).map(({ subject: it }) => it)).toContainEqual(expect.stringMatching(subject)),
  );
  return mailsTo(server, address).findLast((mail) => subject.test(mail.subject ?? ''))?.text ?? '';
}

async function becomesUnreachable(browser: Client): Promise<void> {
  await eventually(async () => expect((await browser.get('/account')).body.email_unreachable).toBe(true));
}

const isWithheld = (testServer: TestServer, email: string, notice: string) =>
  eventually(async () => {
    const emails = await testServer.store.selectFrom('outbox').selectAll().where('recipient', '=', email).execute();
    const found = emails.find((one) => one.notice === notice);
    expect(found).toMatchObject({ sent_at: null, last_error: expect.stringContaining('cannot be reached') });
  });

/** Registers a person whose address has no mailbox. */
async function unreachable(testServer: TestServer) {
  const email = String(form().email);
  unknownAddresses.add(email);
  const { browser } = await register(testServer, { email });
  await becomesUnreachable(browser);
  return { email, browser };
}

const server = open();
afterAll(async () => (await server).close());

describe.each(usualEngines)('an unreachable address, on %s,', (engine) => {
  const opened = server.then(({ port }) =>
    openTestServer(engine, {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'no-reply@door.example',
      DELETION_GRACE_DAYS: '0',
    }),
  );

  test('is marked for its signed-in owner, and gets no more emails', async () => {
    const [testServer, { email, browser }] = [await opened, await unreachable(await opened)];
    unknownAddresses.delete(email);
    expect(await testServer.client().post('/auth/code', { email, locale: 'en' })).toSay('202');
    await isWithheld(testServer, email, 'sign_in_code');
    expect(mailsTo(await server, email)).toEqual([]);
    const { email_unreachable_since: since } = (await browser.get('/account/export')).body.account;
    expect(Date.parse(since)).toBeGreaterThan(0);
  });

  test('gets no second recovery email that day if the first one bounces', async () => {
    const [testServer, { email }] = [await opened, await unreachable(await opened)];
    const gaveUp = async () => {
      const emails = testServer.store.selectFrom('outbox').selectAll().where('recipient', '=', email);
      const rows = await emails.orderBy('id').execute();
      return rows.flatMap(({ notice, last_error: error, gave_up_at: at }) =>
        notice === 'recovery' && at !== null ? [/no such mailbox/.test(error ?? '') ? 'refused' : 'held back'] : [],
      );
    };
    for (const outcomes of [['refused'], ['refused', 'held back']]) {
      await testServer.client().post('/auth/recovery', { email, locale: 'en' });
      await eventually(async () => expect(await gaveUp()).toEqual(outcomes));
    }
  });

  test('gets the same responses as an unknown one for signed-out clients', async () => {
    const [testServer, { email }] = [await opened, await unreachable(await opened)];
    const responses = [email, 'stranger@example.com'].map(async (address) => {
      const asked = { email: address, locale: 'en' };
      const [recovery, code, wrong] = [
        await testServer.client().post('/auth/recovery', asked),
        await testServer.client().post('/auth/code', asked),
        await testServer.client().post('/auth/login', { email: address, password: 'not it at all' }),
      ];
      return [recovery, code, wrong].map(({ status, body }) => [status, body?.code, Object.keys(body ?? {}).sort()]);
    });
    const [known, unknown] = await Promise.all(responses);
    expect(known).toEqual(unknown);
  });

  test('leaves the suppression list when its owner requests it again and opens the link', async () => {
    const [testServer, { email, browser }] = [await opened, await unreachable(await opened)];
    unknownAddresses.delete(email);
    expect(await browser.post('/account/email', { email, password })).toSay('202');
    const text = await mailTo(await server, email, /Confirm/);
    const hash = /hash=([\w.-]+)/.exec(text)?.[1] ?? '';
    const response = await browser.post('/account/email/change', { hash });
    expect(response).toMatchObject({ status: 200, body: { email } });
    expect((await browser.get('/account')).body).toMatchObject({ email_unreachable: false, email_confirmed: true });
    expect(await testServer.client().post('/account/email/change', { hash })).toSay('410 confirmation_link_expired');
    await testServer.client().post('/auth/recovery', { email, locale: 'en' });
    await mailTo(await server, email, /new password/);
    expect(mailsTo(await server, email).map(({ subject }) => subject)).not.toContainEqual(
      expect.stringMatching(/changed/),
    );
  });

  test('no longer affects an account that changes to another address', async () => {
    const [testServer, { browser }] = [await opened, await unreachable(await opened)];
    const next = String(form().email);
    await browser.post('/account/email', { email: next, password });
    const hash = /hash=([\w.-]+)/.exec(await mailTo(await server, next, /Confirm/))?.[1];
    expect(await testServer.client().post('/account/email/change', { hash })).toSay('200');
    expect((await browser.get('/account')).body).toMatchObject({ email: next, email_unreachable: false });
  });

  test('is shown to operators in masked form, and they can remove it from the suppression list', async () => {
    const testServer = await opened;
    const { email } = await unreachable(testServer);
    unknownAddresses.delete(email);
    const run = (...words: string[]) => runCommand(words, placeOf(testServer));
    const { out: list } = await run('suppressed');
    expect(list).toMatch(/ a\*\*\*@example\.com .* smtp /);
    expect(list).not.toContain(email);
    const { out: shown } = await run('accounts', 'show', email);
    expect(shown).toMatch(/email unreachable because\s+no_such_address \(smtp\)/);
    expect((await run('suppressed', 'remove', email.toUpperCase())).code).toBe(0);
    expect((await run('suppressed', 'remove', email)).code).toBe(1);
    const without = await run('suppressed', 'remove');
    expect(without).toMatchObject({ code: 2, err: expect.stringContaining('one address or account id') });
    await testServer.client().post('/auth/recovery', { email, locale: 'en' });
    await mailTo(await server, email, /new password/);
  });

  test('is the exception: a reachable account cannot request its own address again', async () => {
    const { browser, email } = await register(await opened);
    expect((await browser.get('/account')).body.email_unreachable).toBe(false);
    expect(await browser.post('/account/email', { email, password })).toSay(
      '422 validation_failed email email_unchanged',
    );
  });

  test('leaves the suppression list with its account, and the last email does not restore it', async () => {
    const testServer = await opened;
    const { email, browser } = await unreachable(testServer);
    expect(await browser.send('DELETE', '/account', { body: { password } })).toSay('204');
    await eventually(async () => {
      const left = await testServer.store.selectFrom('outbox').selectAll().where('recipient', '=', email).execute();
      expect(left.map(({ notice, gave_up_at }) => [notice, gave_up_at !== null])).toEqual([['account_deleted', true]]);
    });
    expect(await findSuppressed(testServer.store, email)).toBeUndefined();
  });
});

describe.each(engines)('parallel requests for an unreachable address, on %s,', (engine) => {
  const opened = server.then(({ port }) =>
    openTestServer(engine, {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'no-reply@door.example',
      DELETION_GRACE_DAYS: '0',
    }),
  );

  test('still gets one recovery email a day, even for parallel requests, and its link works', async () => {
    const [testServer, { email }] = [await opened, await unreachable(await opened)];
    unknownAddresses.delete(email);
    const recover = () => testServer.client().post('/auth/recovery', { email, locale: 'en' });
    /** The recovery emails; fails until all are sent or held back. */
    async function recoveries() {
      const rows = await testServer.store.selectFrom('outbox').selectAll().where('recipient', '=', email).execute();
      const all = rows.filter(({ notice }) => notice === 'recovery');
      for (const { sent_at: sent, gave_up_at: gaveUp } of all) expect(sent ?? gaveUp).not.toBeNull();
      return { all, sent: all.filter(({ sent_at: at }) => at !== null) };
    }
    expect((await Promise.all([recover(), recover(), recover()])).map(statusAndCode)).toEqual(['202', '202', '202']);
    await eventually(async () => expect((await recoveries()).all).toHaveLength(3));
    expect((await recoveries()).sent).toHaveLength(1);
    testServer.forward(hours(23));
    await recover();
    await eventually(async () => expect((await recoveries()).all).toHaveLength(4));
    expect((await recoveries()).sent).toHaveLength(1);
    testServer.forward(hours(2));
    await recover();
    await eventually(async () => expect((await recoveries()).all).toHaveLength(5));
    expect((await recoveries()).sent).toHaveLength(2);
    const hash = /hash=([\w.-]+)/.exec(await mailTo(await server, email, /new password/))?.[1];
    const chosen = { password: 'snow on slate roofs', password_repeat: 'snow on slate roofs' };
    expect(await testServer.client().post('/auth/reset-password', { email, hash, ...chosen })).toSay('204');
    expect(await findSuppressed(testServer.store, email)).toBeUndefined();
  });
});
