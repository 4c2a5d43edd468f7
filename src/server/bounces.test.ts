import { createTransport } from 'nodemailer';
import { afterAll, describe, expect, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { freePort } from '../testing/free-port.ts';
import { complaint, deliveryReport, gone } from '../testing/mail/delivery-report.ts';
import { type MailServer, openMailServer } from '../testing/mail/smtp-server.ts';
import { eventually } from '../testing/outbox.ts';
import { register } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

const settings = { MAIL_FROM: 'no-reply@door.example', BOUNCE_ADDRESS: 'Bounces@mail.door.example' };

/** The return path of the email that a person received. */
async function returnPathOf({ arrived }: MailServer, email: string): Promise<string> {
  const found = () => arrived.find(({ envelope }) => envelope.to.includes(email));
  await eventually(() => expect(found()).toBeDefined());
  return found()?.envelope.from ?? '';
}

/** Delivers a report as the local mail server does; resolves to the response. */
async function report(port: number, to: string, { raw = deliveryReport(gone), lmtp = false } = {}): Promise<string> {
  const transport = createTransport({ host: '127.0.0.1', port, lmtp, ignoreTLS: true, socketTimeout: minutes(2) });
  try {
    const { response } = await transport.sendMail({ envelope: { from: '', to: [to] }, raw });
    return response;
  } catch (error) {
    return (error as { response?: string }).response ?? String(error);
  } finally {
    transport.close();
  }
}

const goneFor = (email: string) => ({ ...gone, 'Final-Recipient': `rfc822; ${email}` });

const returned = (testServer: TestServer) => testServer.store.selectFrom('returned_emails').selectAll().execute();

describe.each(usualEngines)('a bounce, on %s,', (engine) => {
  const server = openMailServer();
  afterAll(async () => (await server).close());
  const port = freePort();
  const opened = Promise.all([server, port]).then(([{ port: smtp }, own]) =>
    openTestServer(engine, { ...settings, SMTP_URL: `smtp://127.0.0.1:${smtp}`, BOUNCE_LISTEN: `127.0.0.1:${own}` }),
  );

  async function person() {
    const { email, browser } = await register(await opened);
    const isUnreachable = async () => (await browser.get('/account')).body.email_unreachable;
    return { email, isUnreachable, path: await returnPathOf(await server, email) };
  }

  test('identifies its email by a token, and marks the address as unreachable', async () => {
    const { path, email, isUnreachable } = await person();
    expect(path).toMatch(/^Bounces\+[0-9a-v]{42}@mail\.door\.example$/);
    expect(await isUnreachable()).toBe(false);
    expect(await report(await port, path, { raw: deliveryReport(goneFor(email)) })).toMatch(/^250/);
    expect(await isUnreachable()).toBe(true);
    const { store } = await opened;
    const queued = await store
      .selectFrom('outbox')
      .select('last_error')
      .where('recipient', '=', email)
      .executeTakeFirst();
    expect(queued?.last_error).toBe(`Came back: ${gone['Diagnostic-Code']}`);
  });

  test('takes effect once, even if it arrives twice', async () => {
    const [{ path, email, isUnreachable }, testServer] = [await person(), await opened];
    const before = (await returned(testServer)).length;
    const raw = deliveryReport(goneFor(email));
    await report(await port, path, { raw });
    await testServer.store.deleteFrom('unreachable_addresses').execute();
    expect(await report(await port, path.toUpperCase(), { raw })).toMatch(/^250/);
    expect((await returned(testServer)).length).toBe(before + 1);
    expect(await isUnreachable()).toBe(false);
    expect(JSON.stringify(await returned(testServer))).not.toContain(email);
  });

  test('shows the operator the response of the server in one short line, even if it is long or contains control characters', async () => {
    const [{ path, email, isUnreachable }, { store }] = [await person(), await opened];
    const said = `smtp; 550 5.1.1 a\0\u001b[2Jb${'c'.repeat(200_000)}`;
    expect(
      await report(await port, path, {
        raw: deliveryReport({ ...goneFor(email), 'Diagnostic-Code': said }),
      }),
    ).toMatch(/^250/);
    expect(await isUnreachable()).toBe(true);
    const { last_error: note } = await store
      .selectFrom('outbox')
      .select('last_error')
      .where('recipient', '=', email)
      .executeTakeFirstOrThrow();
    expect(note).toMatch(/^Came back: smtp; 550 5\.1\.1 a \[2Jbc{100,500}$/);
  });

  interface Arrival {
    readonly to?: (path: string) => string;
    readonly raw?: (sent: { readonly email: string; readonly path: string }) => string;
    readonly says?: RegExp;
    /** What is noted about the email. */
    readonly kinds?: readonly string[];
    readonly unreachable?: true;
  }

  const withoutToken = () => 'bounces@mail.door.example';
  const forged = `bounces+${'0'.repeat(42)}@mail.door.example`;
  const abuse = (fields = {}) => complaint({ 'Feedback-Type': 'abuse', ...fields });
  const quoting = (path: string) => abuse().replace('inline\r\n\r\n', `$&Return-Path: <${path}>\r\n`);
  const tooLarge = `${deliveryReport(gone)}${'x'.repeat(70)}\r\n`.padEnd(300 * 1024, 'filling\r\n');

  test.each<[string, Arrival]>([
    [
      'of a full mailbox changes nothing',
      { raw: () => deliveryReport({ ...gone, Status: '5.2.2' }), kinds: ['refused'] },
    ],
    [
      'of a delay changes nothing',
      { raw: () => deliveryReport({ ...gone, Action: 'delayed', Status: '4.4.1' }), kinds: ['delayed'] },
    ],
    ['that is an absence notice is ignored', { raw: () => 'Subject: Out of office\r\n\r\nStatus: 5.1.1' }],
    [
      'of another address, to which the mailbox forwards, changes nothing',
      { raw: () => deliveryReport(goneFor('anna@elsewhere.example')), kinds: ['refused'] },
    ],
    ['at a forged token is rejected', { to: () => forged, says: /^550/ }],
    [
      'at another domain is rejected',
      { to: (path) => path.replace('mail.door.example', 'door.example'), says: /^550/ },
    ],
    ['at another name is rejected', { to: (path) => path.replace('Bounces', 'postmaster'), says: /^550/ }],
    [
      'at a changed token is rejected',
      { to: (path) => path.replace(/\w(?=@)/, (last) => (last === 'a' ? 'b' : 'a')), says: /^550/ },
    ],
    ['that is larger than any report is rejected', { raw: () => tooLarge, says: /^552/ }],
    ['may be a complaint', { raw: () => abuse(), kinds: ['complaint'], unreachable: true }],
    [
      'may be a complaint at the address without a token',
      {
        to: withoutToken,
        raw: ({ path }) => abuse({ 'Original-Mail-From': `<${path}>` }),
        kinds: ['complaint'],
        unreachable: true,
      },
    ],
    [
      'may be a complaint whose return path only the quoted email names',
      { to: withoutToken, raw: ({ path }) => quoting(path), kinds: ['complaint'], unreachable: true },
    ],
    ['without any token is ignored', { to: withoutToken }],
    ['that is a complaint without any token is ignored', { to: withoutToken, raw: () => abuse() }],
    [
      'that is a complaint with a forged token is ignored',
      { to: withoutToken, raw: () => abuse({ 'Original-Mail-From': `<${forged}>` }) },
    ],
  ])(
    '%s',
    async (_, { to = (path) => path, raw = () => deliveryReport(gone), says = /^250/, kinds = [], unreachable }) => {
      const [sent, testServer] = [await person(), await opened];
      const before = (await returned(testServer)).length;
      expect(await report(await port, to(sent.path), { raw: raw(sent) })).toMatch(says);
      expect((await returned(testServer)).slice(before)).toMatchObject(kinds.map((kind) => ({ kind })));
      expect(await sent.isUnreachable()).toBe(unreachable ?? false);
    },
  );
});

test('a mail server may deliver bounces by LMTP', async () => {
  const [server, port] = [await openMailServer(), await freePort()];
  const testServer = await openTestServer('sqlite', {
    ...settings,
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    BOUNCE_LISTEN: `lmtp://127.0.0.1:${port}`,
  });
  const { email, browser } = await register(testServer);
  const path = await returnPathOf(server, email);
  expect(await report(port, path)).toMatch(/^500 /);
  expect(await report(port, 'nobody@mail.door.example', { lmtp: true })).toMatch(/^550 5\.1\.1/);
  expect(await report(port, path, { lmtp: true, raw: deliveryReport(goneFor(email)) })).toMatch(/^250/);
  expect((await browser.get('/account')).body.email_unreachable).toBe(true);
  await server.close();
});

test('a sender domain with non-ASCII characters is encoded so that every server accepts it', async () => {
  const server = await openMailServer({ hideSMTPUTF8: true, hide8BITMIME: true });
  const testServer = await openTestServer('sqlite', {
    MAIL_FROM: 'Bücher <no-reply@bücher.example>',
    SUPPORT_EMAIL: 'hilfe@bücher.example',
    BOUNCE_ADDRESS: 'b@bücher.example',
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  });
  const { email } = await register(testServer);
  await returnPathOf(server, email);
  const [{ raw, mail } = expect.fail('nothing arrived')] = server.arrived;
  expect(raw.split('\r\n\r\n', 1)[0]).toMatch(/^\p{ASCII}+$/u);
  expect(mail.messageId).toMatch(/@xn--bcher-kva\.example>$/);
  await server.close();
});

test('without the setting, emails return to the sender, and the listener does not start', async () => {
  const server = await openMailServer();
  const testServer = await openTestServer('sqlite', {
    MAIL_FROM: settings.MAIL_FROM,
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  });
  const { email } = await register(testServer);
  expect(await returnPathOf(server, email)).toBe('no-reply@door.example');
  await server.close();
});

test('a port that is already in use is reported with its setting', async () => {
  const server = await openMailServer();
  const wrong = openTestServer('sqlite', { ...settings, BOUNCE_LISTEN: `127.0.0.1:${server.port}` });
  await expect(wrong).rejects.toThrow('BOUNCE_LISTEN: listen EADDRINUSE');
  await server.close();
});
