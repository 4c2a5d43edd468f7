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

  test.each([
    ['a full mailbox', deliveryReport({ ...gone, Status: '5.2.2' }), 1],
    ['a delay', deliveryReport({ ...gone, Action: 'delayed', Status: '4.4.1' }), 1],
    ['an absence notice', 'Subject: Out of office\r\n\r\nStatus: 5.1.1', 0],
  ])('changes nothing if it is %s', async (_, raw, noted) => {
    const [{ path, isUnreachable }, testServer] = [await person(), await opened];
    const before = (await returned(testServer)).length;
    expect(await report(await port, path, { raw })).toMatch(/^250/);
    expect((await returned(testServer)).length).toBe(before + noted);
    expect(await isUnreachable()).toBe(false);
  });

  test.each([
    ['a forged token', () => `bounces+${'0'.repeat(42)}@mail.door.example`],
    ['another domain', (path: string) => path.replace('mail.door.example', 'door.example')],
    ['another name', (path: string) => path.replace('Bounces', 'postmaster')],
    ['a changed token', (path: string) => path.replace(/\w(?=@)/, (last) => (last === 'a' ? 'b' : 'a'))],
  ])('is rejected if it arrives at %s', async (_, change) => {
    const { path, isUnreachable } = await person();
    expect(await report(await port, change(path))).toMatch(/^550/);
    expect(await isUnreachable()).toBe(false);
  });

  test('changes nothing if it is about another address, to which the mailbox forwards', async () => {
    const [{ path, isUnreachable }, testServer] = [await person(), await opened];
    const before = (await returned(testServer)).length;
    const raw = deliveryReport(goneFor('anna@elsewhere.example'));
    expect(await report(await port, path, { raw })).toMatch(/^250/);
    expect((await returned(testServer)).slice(before)).toMatchObject([{ kind: 'refused' }]);
    expect(await isUnreachable()).toBe(false);
  });

  test('may be a complaint, at the return path or at the address without a token', async () => {
    const sent = [await person(), await person()] as const;
    const abuse = complaint({ 'Feedback-Type': 'abuse', 'Original-Mail-From': `<${sent[1].path}>` });
    expect(await report(await port, sent[0].path, { raw: complaint({ 'Feedback-Type': 'abuse' }) })).toMatch(/^250/);
    expect(await report(await port, 'bounces@mail.door.example', { raw: abuse })).toMatch(/^250/);
    for (const { isUnreachable } of sent) expect(await isUnreachable()).toBe(true);
  });

  test('may be a complaint without the return path, which the headers of the quoted email name', async () => {
    const { path, isUnreachable } = await person();
    const quoted = complaint({ 'Feedback-Type': 'abuse' }).replace('inline\r\n\r\n', `$&Return-Path: <${path}>\r\n`);
    expect(quoted).toContain(path);
    expect(await report(await port, 'bounces@mail.door.example', { raw: quoted })).toMatch(/^250/);
    expect(await isUnreachable()).toBe(true);
  });

  test.each([
    ['a report without a token', deliveryReport(gone)],
    ['a complaint without a token', complaint({ 'Feedback-Type': 'abuse' })],
    [
      'a complaint with a forged token',
      complaint({ 'Feedback-Type': 'abuse', 'Original-Mail-From': `<bounces+${'0'.repeat(42)}@mail.door.example>` }),
    ],
  ])('is ignored at the address without a token: %s', async (_, raw) => {
    const testServer = await opened;
    const before = (await returned(testServer)).length;
    expect(await report(await port, 'bounces@mail.door.example', { raw })).toMatch(/^250/);
    expect((await returned(testServer)).length).toBe(before);
  });

  test('is rejected if it is larger than any report', async () => {
    const { path, isUnreachable } = await person();
    const raw = `${deliveryReport(gone)}${'x'.repeat(70)}\r\n`.padEnd(300 * 1024, 'filling\r\n');
    expect(await report(await port, path, { raw })).toMatch(/^552/);
    expect(await isUnreachable()).toBe(false);
  });
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
