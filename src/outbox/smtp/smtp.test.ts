import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { hours, minutes, seconds } from '../../contract/units.ts';
import type { Engine } from '../../store/database.ts';
import { freshStore, usualEngines } from '../../testing/databases/databases.ts';
import { testCertificate } from '../../testing/mail/certificates.ts';
import { type SmtpReplies, startBluntMailServer, startMailServer } from '../../testing/mail/mail-server.ts';
import { type MailServerOptions, refusal } from '../../testing/mail/smtp-server.ts';
import {
  account,
  emailOf,
  eventually,
  postRecovery,
  recoveryLink,
  runOutbox,
  testClock,
} from '../../testing/outbox.ts';
import { type EmailMessage, Undeliverable } from '../compose.ts';
import { smtpSender } from './smtp.ts';

const email: EmailMessage = {
  id: '019a0000-0000-7000-8000-000000000001',
  messageId: '<019a0000-0000-7000-8000-000000000001@sign-in.example>',
  language: 'de',
  from: { name: 'Vestibüle', address: 'no-reply@sign-in.example' },
  to: 'ada@mail.example',
  returnPath: 'bounces@sign-in.example',
  replyTo: 'help@sign-in.example',
  date: new Date(Date.UTC(2026, 10, 21, 12)),
  subject: 'Neues Passwort für Vestibüle',
  text: `Hallo Ada,\n\n${recoveryLink}\n`,
  html: `<p>Hallo Ada</p><a href="${recoveryLink.replace('&', '&amp;')}">hier</a>`,
};

const PUBLIC_URL = 'https://sign-in.example';
const urlOf = ({ port }: { port: number }) => ({ PUBLIC_URL, SMTP_URL: `smtp://127.0.0.1:${port}` });

/** A sender that is closed after the test. */
function openSender(...settings: Parameters<typeof smtpSender>) {
  const sender = smtpSender(...settings);
  onTestFinished(() => sender.close());
  return sender;
}

/** Sends an email over a connection of its own. */
const sendOver = (settings: Parameters<typeof smtpSender>[0], one = email) => openSender(settings).send(one);

describe('an email over SMTP', () => {
  it('arrives complete, with headers that prevent automatic replies', async () => {
    const server = await startMailServer();
    await sendOver(urlOf(server));
    const [{ mail, envelope }] = server.arrived as [(typeof server.arrived)[0]];
    const header = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
    expect(envelope).toEqual({ from: 'bounces@sign-in.example', to: [email.to] });
    expect(mail.from).toMatchObject({ name: 'Vestibüle', address: 'no-reply@sign-in.example' });
    expect(mail.to).toMatchObject([{ name: '', address: 'ada@mail.example' }]);
    expect(mail.replyTo).toMatchObject([{ address: 'help@sign-in.example' }]);
    expect(mail.subject).toBe(email.subject);
    expect(mail.messageId).toBe(email.messageId);
    expect(mail.text).toContain(recoveryLink);
    expect(mail.html).toContain(recoveryLink.replace('&', '&amp;'));
    expect(header('auto-submitted')).toEqual(['auto-generated']);
    expect(header('x-auto-response-suppress')).toEqual(['All']);
    expect(header('content-language')).toEqual(['de']);
    // Otherwise email clients group emails with the same subject.
    expect(header('x-entity-ref-id')).toEqual([email.id]);
    expect(header('date')).toEqual(['Sat, 21 Nov 2026 12:00:00 +0000']);
    expect(header('x-mailer')).toEqual([]);
  });

  it('reuses persistent connections', async () => {
    const server = await startMailServer();
    const sender = openSender(urlOf(server));
    for (let at = 0; at < 5; at += 1) await sender.send(email);
    expect(server.arrived).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  it.each([
    ['a recipient with a line break', { to: 'ada@mail.example\r\nBcc: eve@evil.example' }],
    ['a second recipient', { to: 'ada@mail.example, eve@evil.example' }],
    ['a recipient in brackets', { to: '<eve@evil.example>' }],
    ['a recipient with a parameter', { to: 'ada@mail.example> NOTIFY=NEVER' }],
    ['a recipient without a domain', { to: 'ada' }],
  ])('%s is refused, and nothing is sent', async (_, wrong) => {
    const server = await startMailServer();
    await expect(sendOver(urlOf(server), { ...email, ...wrong })).rejects.toThrow(Undeliverable);
    expect(server.arrived).toEqual([]);
  });

  it('never lets a value become a header', async () => {
    const server = await startMailServer();
    const sender = openSender(urlOf(server));
    const evil = 'x\r\nBcc: eve@evil.example\r\nX-Evil: yes\r\n\r\n<p>evil</p>';
    await sender.send({
      ...email,
      subject: `Subject ${evil}`,
      from: { name: `Name ${evil}`, address: email.from.address },
      messageId: `<id@sign-in.example>${evil}`,
      language: `de${evil}`,
    });
    const [{ mail, raw, envelope }] = server.arrived as [(typeof server.arrived)[0]];
    expect(envelope.to).toEqual([email.to]);
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail.headers.map(({ key }) => key)).not.toContain('x-evil');
    expect(raw).not.toMatch(/^(?:Bcc|X-Evil):/im);
    expect(mail.html).toBe(`${email.html}\n`);
  });

  it('writes an internationalized domain in ASCII for any server', async () => {
    const server = await startMailServer({ hideSMTPUTF8: true });
    await sendOver(urlOf(server), { ...email, to: 'ada@bücher.example' });
    expect(server.arrived[0]?.raw).toContain('To: ada@xn--bcher-kva.example');
    expect(server.arrived[0]?.envelope.to).toEqual(['ada@bücher.example']);
  });

  it('sends to an internationalized address through a server that offers SMTPUTF8', async () => {
    const server = await startMailServer({ hideSMTPUTF8: false });
    await sendOver(urlOf(server), { ...email, to: 'адам@пример.example' });
    expect(server.arrived[0]?.envelope.to).toEqual(['адам@пример.example']);
  });

  it('reports clearly that a server without SMTPUTF8 does not accept one', async () => {
    const server = await startMailServer({ hideSMTPUTF8: true });
    await expect(sendOver(urlOf(server), { ...email, to: 'адам@пример.example' })).rejects.toThrow(
      /does not offer SMTPUTF8/,
    );
    expect(server.arrived).toEqual([]);
  });
});

describe('TLS', () => {
  const own = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(own));
  const tls = { ...testCertificate, disabledCommands: ['AUTH'] };

  it.each([
    ['from the start', 'smtps', { ...tls, secure: true }],
    ['with STARTTLS', 'smtp', tls],
  ])('%s is verified: a server with an untrusted certificate gets nothing', async (_, scheme, options) => {
    const server = await startMailServer(options);
    await expect(
      sendOver({ PUBLIC_URL, SMTP_URL: `${scheme}://localhost:${server.port}?tls=required` }),
    ).rejects.toThrow(/self-signed certificate/);
    expect(server.arrived).toEqual([]);
  });

  it.each([
    ['from the start', 'smtps', { ...tls, secure: true }],
    ['with STARTTLS', 'smtp', tls],
  ])('%s carries the email if the certificate is valid', async (_, scheme, options) => {
    setDefaultCACertificates([...own, testCertificate.cert]);
    let secured = false;
    const server = await startMailServer({
      ...options,
      onMailFrom: (_address, session, done) => {
        secured = session.secure;
        done();
      },
    });
    await sendOver({ PUBLIC_URL, SMTP_URL: `${scheme}://localhost:${server.port}?tls=required` });
    expect([server.arrived.length, secured]).toEqual([1, true]);
  });

  it('accepts an untrusted certificate of a relay on this machine', async () => {
    const server = await startMailServer(tls);
    await sendOver({ PUBLIC_URL, SMTP_URL: `smtp://localhost:${server.port}` });
    expect(server.arrived).toHaveLength(1);
  });

  it('is never skipped if it is required', async () => {
    const server = await startMailServer();
    await expect(sendOver({ PUBLIC_URL, SMTP_URL: `smtp://127.0.0.1:${server.port}?tls=required` })).rejects.toThrow(
      /STARTTLS/,
    );
    expect(server.arrived).toEqual([]);
  });

  it('protects the password of the mail server', async () => {
    setDefaultCACertificates([...own, testCertificate.cert]);
    const seen: unknown[] = [];
    const server = await startMailServer({
      ...testCertificate,
      disabledCommands: [],
      authOptional: false,
      onAuth: ({ username, password }, session, done) => {
        seen.push({ username, password, secure: session.secure });
        done(null, { user: username });
      },
    });
    await sendOver({ PUBLIC_URL, SMTP_URL: `smtp://me%40isp:p%3Ass@localhost:${server.port}` });
    expect(seen).toEqual([{ username: 'me@isp', password: 'p:ss', secure: true }]);
  });
});

type Limits = Parameters<typeof smtpSender>[1];

/** An email to Ada in an outbox that sends it over SMTP to a server. */
async function postTo(server: { port: number }, limits?: Limits, engine: Engine = 'sqlite') {
  const [store, clock] = [await freshStore(engine), testClock()];
  const outbox = runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(server), limits) });
  const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
  outbox.wake();
  return { store, clock, outbox, id };
}

/** The same, to a new server. */
async function posted(options: MailServerOptions = {}, limits?: Limits) {
  const server = await startMailServer(options);
  return { server, ...(await postTo(server, limits)) };
}

interface Expected {
  readonly says: Error;
  readonly becomes: 'given up' | 'refused' | 'postponed';
}

/** Has an email refused, and checks the outcome. */
async function isRefused(options: MailServerOptions, { says, becomes }: Expected): Promise<void> {
  const { store, clock, outbox, id } = await posted(options);
  await eventually(async () => expect((await emailOf(store, id)).last_error).toContain(says.message));
  const { gave_up_at, due_at } = await emailOf(store, id);
  expect(gave_up_at).toBe(becomes === 'given up' ? clock.at : null);
  const pause = { 'given up': 0, postponed: seconds(2), refused: minutes(15) }[becomes];
  expect(due_at).toBe(clock.at + pause);
  expect((await outbox.counts()).lastError).toBeUndefined();
}

describe('the outbox over SMTP', () => {
  it('resends an email under its Message-ID after the server disconnected at the end of DATA', async () => {
    let kills = 2;
    const { store, clock, server, outbox, id } = await posted({
      reply: (acknowledge, cut) => (kills-- > 0 ? cut() : acknowledge()),
    });
    for (const attempts of [1, 2]) {
      await eventually(async () => expect(await emailOf(store, id)).toMatchObject({ attempts, leased_until: 0 }));
      clock.at = (await emailOf(store, id)).due_at;
      outbox.wake();
    }
    await eventually(async () => expect((await emailOf(store, id)).sent_at).toBe(clock.at));
    expect(server.arrived).toHaveLength(3);
    expect(new Set(server.arrived.map(({ mail }) => mail.messageId))).toEqual(new Set([`<${id}@sign-in.example>`]));
    for (const { mail } of server.arrived) expect(mail.text).toContain(recoveryLink);
  });

  it('retries an unacknowledged email ever more slowly, then gives up', async () => {
    const { store, clock, server, outbox, id } = await posted({ reply: (_acknowledge, cut) => cut() });
    const pauses: number[] = [];
    for (let copies = 1; ; copies += 1) {
      outbox.wake();
      await eventually(() => expect(server.arrived).toHaveLength(copies));
      await eventually(async () => expect(await emailOf(store, id)).toMatchObject({ leased_until: 0 }));
      const { gave_up_at, due_at } = await emailOf(store, id);
      if (gave_up_at !== null) break;
      pauses.push(due_at - clock.at);
      clock.at = due_at;
    }
    expect(pauses).toEqual([minutes(2), minutes(15), hours(1), hours(3), hours(6)]);
    expect(server.arrived).toHaveLength(6);
    const { last_error: reason } = await emailOf(store, id);
    expect(reason).toMatch(/^The mail server had the whole mail and did not acknowledge it \(.+\), 6 times/);
    expect(reason).not.toContain('Before:');
  });

  it('counts only emails that the server received completely as copies', async () => {
    let greylists = 8;
    const { store, clock, server, outbox, id } = await posted({
      onRcptTo: (_address, _session, done) => done(greylists-- > 0 ? refusal(451, '4.7.1 Greylisted') : null),
      reply: (_acknowledge, cut) => cut(),
    });
    for (let attempts = 1; attempts <= 9; attempts += 1) {
      outbox.wake();
      await eventually(async () => expect(await emailOf(store, id)).toMatchObject({ attempts, leased_until: 0 }));
      clock.at = (await emailOf(store, id)).due_at;
    }
    expect(server.arrived).toHaveLength(1);
    expect((await emailOf(store, id)).gave_up_at).toBeNull();
  });

  it('delivers once a server that was down is back', async () => {
    const gone = await startMailServer();
    await gone.close();
    const { store, clock, outbox, id } = await postTo(gone);
    await eventually(async () => expect((await emailOf(store, id)).last_error).toContain('ECONNREFUSED'));
    const server = await startMailServer({ port: gone.port });
    clock.pass(seconds(3));
    outbox.wake();
    await eventually(() => expect(server.arrived).toHaveLength(1));
  });

  it.each([
    { says: refusal(550, '5.1.1 no such mailbox'), becomes: 'given up' },
    { says: refusal(552, '5.2.2 mailbox full'), becomes: 'refused' },
    { says: refusal(450, '4.7.1 greylisted'), becomes: 'postponed' },
  ] as const)('a recipient refused with $says.responseCode $says.message is $becomes', async (expected) => {
    await isRefused({ onRcptTo: (_address, _session, done) => done(expected.says) }, expected);
  });

  it.each([
    { says: refusal(554, '5.7.1 looks like spam'), becomes: 'refused' },
    { says: refusal(550, 'no'), becomes: 'refused' },
    { says: refusal(550, 'the message names no such user'), becomes: 'refused' },
    { says: refusal(451, '4.3.0 come back later'), becomes: 'postponed' },
  ] as const)('a message refused with $says.responseCode $says.message is $becomes', async (expected) => {
    await isRefused({ reply: (acknowledge) => acknowledge(expected.says) }, expected);
  });

  it.each([
    { stage: 'the sender', options: { onMailFrom: (_a, _s, done) => done(refusal(550, 'not you')) } },
    { stage: 'the sender for now', options: { onMailFrom: (_a, _s, done) => done(refusal(451, '4.7.1 slow down')) } },
    { stage: 'the connection', options: { onConnect: (_s, done) => done(refusal(554, 'no service for you')) } },
  ] as { stage: string; options: MailServerOptions }[])(
    'a server that refuses $stage does not change the order of emails, and gets them all once it is fixed',
    async ({ options }) => {
      const { store, clock, server, outbox, id: first } = await posted(options);
      await eventually(async () => expect((await outbox.counts()).lastError).toBeDefined());
      const second = await postRecovery(store, { to: account('eve'), at: clock.now() });
      outbox.wake();
      for (const id of [first, second]) {
        await eventually(async () =>
          expect(await emailOf(store, id)).toMatchObject({ gave_up_at: null, attempts: 0, due_at: clock.now() }),
        );
      }
      await server.close();
      const restarted = await startMailServer({ port: server.port });
      clock.pass(minutes(1));
      await eventually(() => {
        outbox.wake();
        expect(restarted.arrived).toHaveLength(2);
      });
    },
  );

  it.each<[string, SmtpReplies]>([
    ['after text for people', { RCPT: '550-We are sorry.\r\n550 5.1.1 no such mailbox' }],
    ['on each of several lines', { RCPT: '550-5.1.1 no such\r\n550 5.1.1 mailbox' }],
    ['in words on two lines', { RCPT: '550-We are sorry:\r\n550 no such user' }],
    ['only in response to DATA', { DATA: '550 5.1.1 no such mailbox' }],
    ['only after the data', { MESSAGE: '550 5.1.1 no such mailbox' }],
  ])('an unknown recipient, reported %s, is given up', async (_, responses) => {
    const { store, clock, id } = await postTo(await startBluntMailServer(responses));
    await eventually(async () => expect((await emailOf(store, id)).gave_up_at).toBe(clock.at));
    expect((await emailOf(store, id)).last_error).toMatch(/no such/);
    expect((await emailOf(store, id)).last_error).not.toContain('\n');
  });

  it.each(usualEngines)('any server response becomes one short line of the table, on %s', async (engine) => {
    const words = `4.3.0 a\0\u001b[2Jb${'c'.repeat(900_000)}`;
    const { store, clock, id } = await postTo(await startBluntMailServer({ RCPT: `451 ${words}` }), {}, engine);
    await eventually(async () =>
      expect(await emailOf(store, id)).toMatchObject({ leased_until: 0, due_at: clock.now() + seconds(2) }),
    );
    expect((await emailOf(store, id)).last_error).toMatch(/^.{0,100}: 451 4\.3\.0 a \[2Jbc{0,450}$/);
  });

  it('a very long refusal of the sender is cut', async () => {
    const { outbox } = await postTo(await startBluntMailServer({ MAIL: `554 ${'c'.repeat(200_000)}` }));
    await eventually(async () => expect((await outbox.counts()).lastError).toMatch(/ 554 c{100,500}$/));
  });

  it.each<[string, SmtpReplies]>([
    ['responds in several lines', { MAIL: '250-2.1.0 well\r\n250 2.1.0 go on', RCPT: '250-yes\r\n250 yes' }],
    ['responds without text', { MAIL: '250', RCPT: '250', RSET: '250' }],
    ['knows only HELO', { EHLO: '502 what' }],
    ['offers STARTTLS without a certificate', { EHLO: '250-hello\r\n250 STARTTLS', STARTTLS: '454 4.7.0 no TLS' }],
  ])('a server that %s passes, and gets the email', async (_, responses) => {
    const sender = openSender(urlOf(await startBluntMailServer(responses)));
    expect(await sender.check({ from: email.from.address, to: email.to })).toContain('no authentication');
    await sender.send(email);
  });

  it.each([
    ['that falls silent', { socketTimeout: seconds(1) }],
    ['that never finishes', { longestSend: seconds(2) }],
  ])('abandons a server %s, and retries', async (_, limits) => {
    let silent = true;
    const { store, clock, server, outbox, id } = await posted(
      { reply: (acknowledge) => (silent ? undefined : acknowledge()) },
      limits,
    );
    await eventually(async () => expect((await emailOf(store, id)).last_error).toMatch(/time-?out|aborted/i));
    silent = false;
    await eventually(async () => {
      const { leased_until, sent_at } = await emailOf(store, id);
      // On a busy machine a healthy server may also exceed these limits: the outbox tries again until it does not.
      if (leased_until === 0) clock.pass(seconds(3));
      outbox.wake();
      expect(sent_at).not.toBeNull();
    });
    expect(new Set(server.arrived.map(({ mail }) => mail.messageId)).size).toBe(1);
  });

  it('includes the check for SMTPUTF8 in the time limit of the send', async () => {
    const pauses = [600];
    const server = await startMailServer({ onConnect: (_session, done) => void setTimeout(done, pauses.pop()) });
    const sender = openSender(urlOf(server), { longestSend: 300 });
    await expect(sender.send({ ...email, to: 'адам@пример.example' })).rejects.toThrow(/aborted/);
    expect(server.arrived).toHaveLength(0);
  });

  it('stops without waiting for a server that takes four seconds', async () => {
    const events: string[] = [];
    const answered = Promise.withResolvers<void>();
    const { store, server, outbox, id } = await posted({
      reply: (acknowledge) =>
        void setTimeout(() => {
          events.push('answered');
          acknowledge();
          answered.resolve();
        }, seconds(4)),
    });
    await eventually(() => expect(server.arrived).toHaveLength(1));
    const stopped = outbox.stop().then(() => events.push('stopped'));
    await Promise.all([stopped, answered.promise]);
    expect(events).toEqual(['stopped', 'answered']);
    expect(await emailOf(store, id)).toMatchObject({ attempts: 0, leased_until: 0, sent_at: null });
  });

  it('does not wait for a silent server when it stops, and leaves the email to the next worker', async () => {
    let mute = true;
    const reply: MailServerOptions['reply'] = (acknowledge) => (mute ? undefined : acknowledge());
    const { store, clock, server, outbox, id } = await posted({ reply }, { socketTimeout: minutes(5) });
    await eventually(() => expect(server.arrived).toHaveLength(1));
    await outbox.stop();
    const left = { attempts: 0, leased_until: 0, due_at: clock.now(), sent_at: null };
    expect(await emailOf(store, id)).toMatchObject(left);
    mute = false;
    runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(server)) });
    await eventually(async () => expect((await emailOf(store, id)).sent_at).not.toBeNull());
    expect(new Set(server.arrived.map(({ mail }) => mail.messageId)).size).toBe(1);
  });
});

describe('a check of the mail server', () => {
  const way = { from: 'no-reply@sign-in.example', to: 'help@sign-in.example' };

  it('goes up to the recipient, and sends nothing', async () => {
    const said: string[] = [];
    const server = await startMailServer({
      onMailFrom: ({ address }, _session, done) => {
        said.push(`from ${address}`);
        done();
      },
      onRcptTo: ({ address }, _session, done) => {
        said.push(`to ${address}`);
        done();
      },
    });
    const sender = openSender(urlOf(server));
    expect(await sender.check(way)).toBe(`127.0.0.1:${server.port}, TLS where offered, no authentication`);
    expect(await sender.check({ from: way.from })).toContain('127.0.0.1');
    expect(said).toEqual(['from no-reply@sign-in.example', 'to help@sign-in.example', 'from no-reply@sign-in.example']);
    expect(server.arrived).toEqual([]);
  });

  it('writes internationalized domains in ASCII', async () => {
    const { port, commands } = await startBluntMailServer({});
    const sender = openSender(urlOf({ port }));
    await sender.check({ from: 'no-reply@bücher.example', to: 'hilfe@bücher.example' });
    expect(commands).toContain('MAIL FROM:<no-reply@xn--bcher-kva.example>');
    expect(commands).toContain('RCPT TO:<hilfe@xn--bcher-kva.example>');
  });

  it.each<[string, MailServerOptions, RegExp]>([
    [
      'the sender',
      { onMailFrom: (_a, _s, done) => done(refusal(550, '5.7.1 who are you')) },
      /refuses MAIL FROM: 550 .*who are you/,
    ],
    [
      'the recipient',
      { onRcptTo: (_a, _s, done) => done(refusal(554, '5.7.1 relay access denied')) },
      /refuses RCPT TO: 554/,
    ],
    ['us', { onConnect: (_s, done) => done(refusal(554, 'no service')) }, /no service/],
    [
      'unauthenticated clients',
      { authOptional: false, disabledCommands: ['STARTTLS'] },
      /requires a user and a password in SMTP_URL/,
    ],
  ])('reports that the server refuses %s', async (_, options, words) => {
    const server = await startMailServer(options);
    const sender = openSender(urlOf(server));
    await expect(sender.check(way)).rejects.toThrow(words);
  });

  it.each<[string, { url: string; answers: SmtpReplies; says: RegExp }]>([
    [
      'in several lines',
      { url: '', answers: { RCPT: '550-Sorry.\r\n550 5.7.1 no' }, says: /^[^\n]* 550-Sorry\. 550 5\.7\.1 no$/ },
    ],
    [
      'for now',
      {
        url: 'me:secret@',
        answers: { EHLO: '250-hi\r\n250 AUTH PLAIN', AUTH: '454 4.7.0 later' },
        says: /4\.7\.0 later$/,
      },
    ],
  ])('reports in one line a refusal %s', async (_, { url, answers, says }) => {
    const { port } = await startBluntMailServer(answers);
    const sender = openSender({ PUBLIC_URL, SMTP_URL: `smtp://${url}127.0.0.1:${port}` });
    await expect(sender.check(way)).rejects.toThrow(says);
  });

  it('reports that a server is too slow', async () => {
    const { port } = await startMailServer({ onConnect: (_session, done) => void setTimeout(done, 2000) });
    const check = smtpSender(urlOf({ port }), { longestCheck: 100 }).check(way);
    await expect(check).rejects.toThrow(/too slowly/);
  });

  it('reports that a server without authentication ignores the password', async () => {
    const { port } = await startBluntMailServer({});
    const sender = openSender({ PUBLIC_URL, SMTP_URL: `smtp://me:secret@127.0.0.1:${port}` });
    expect(await sender.check(way)).toMatch(/no authentication, since the server offers none$/);
  });

  it.each([
    ['does not speak TLS', 'smtps', {}, /begins with smtp:\/\//],
    ['expects TLS from the first byte', 'smtp', { ...testCertificate, secure: true }, /begins with smtps:\/\//],
  ] as const)('suggests the other scheme if the server %s', async (_, scheme, options, says) => {
    const { port } = await startMailServer(options);
    const sender = openSender({ PUBLIC_URL, SMTP_URL: `${scheme}://127.0.0.1:${port}` }, { greetingTimeout: 500 });
    await expect(sender.check(way)).rejects.toThrow(says);
  });

  it.each([
    ['nothing listens', async () => ({ port: 1 }), 'smtp', /nothing listens at the host and port in SMTP_URL/],
    [
      'the certificate is untrusted',
      () => startMailServer({ ...testCertificate, secure: true }),
      'smtps',
      /NODE_EXTRA_CA_CERTS/,
    ],
    ['the server has no TLS', () => startMailServer(), 'smtp', /\?tls=optional/],
  ] as const)('suggests a fix if %s', async (_, open, scheme, words) => {
    const { port } = await open();
    const sender = openSender({ PUBLIC_URL, SMTP_URL: `${scheme}://localhost:${port}?tls=required` });
    await expect(sender.check(way)).rejects.toThrow(words);
  });
});

it.each([
  ['https://sign-in.example', 'sign-in.example'],
  ['https://sign-in.example:8443', 'sign-in.example'],
  ['http://192.0.2.7:3000', '[192.0.2.7]'],
  ['http://[2001:db8::7]', '[IPv6:2001:db8::7]'],
])('for %s, our name in EHLO is %s', async (publicUrl, name) => {
  const names: string[] = [];
  const server = await startMailServer({
    onMailFrom: (_address, session, done) => {
      names.push(session.hostNameAppearsAs || '');
      done();
    },
  });
  const sender = openSender({ ...urlOf(server), PUBLIC_URL: publicUrl });
  await sender.send(email);
  await sender.check({ from: email.from.address });
  // The test server converts names to lower case.
  expect(names).toEqual([name.toLowerCase(), name.toLowerCase()]);
});

it.each([
  ['ada@mail.example', true, true],
  ['ada@bücher.example', true, true],
  ['адам@пример.example', false, true],
])('%s can be reached without SMTPUTF8: %s, and with it: %s', async (address, without, withIt) => {
  const reached = await Promise.all(
    [true, false].map(async (hideSMTPUTF8) => {
      const sender = openSender(urlOf(await startMailServer({ hideSMTPUTF8 })));
      return sender.takes(address);
    }),
  );
  expect(reached).toEqual([without, withIt]);
});
