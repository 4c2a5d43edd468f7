import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { seconds } from '../../contract/durations.ts';
import { testCertificate } from '../../testing/certificate.ts';
import { freshStore } from '../../testing/databases.ts';
import { startMailServer } from '../../testing/mail-server.ts';
import {
  account,
  eventually,
  letterOf,
  postRecovery,
  recoveryLink,
  runOutbox,
  testClock,
} from '../../testing/outbox.ts';
import { refusal } from '../../testing/smtp-server.ts';
import { type Mail, Undeliverable } from '../mail.ts';
import { smtpSender } from './smtp.ts';

const letter: Mail = {
  id: '019a0000-0000-7000-8000-000000000001',
  messageId: '<019a0000-0000-7000-8000-000000000001@sign-in.example>',
  language: 'de',
  from: { name: 'Vestibüle', address: 'no-reply@sign-in.example' },
  to: 'ada@mail.example',
  replyTo: 'help@sign-in.example',
  date: new Date(Date.UTC(2026, 10, 21, 12)),
  subject: 'Neues Passwort für Vestibüle',
  text: `Hallo Ada,\n\n${recoveryLink}\n`,
  html: `<p>Hallo Ada</p><a href="${recoveryLink.replace('&', '&amp;')}">hier</a>`,
};

const urlOf = ({ port }: { port: number }) => ({ SMTP_URL: `smtp://127.0.0.1:${port}` });

describe('a mail over SMTP', () => {
  it('arrives whole, with the headers that keep machines from answering', async () => {
    const server = await startMailServer();
    const sender = smtpSender(urlOf(server));
    await sender.send(letter);
    await sender.close();
    const [{ mail, envelope }] = server.arrived as [(typeof server.arrived)[0]];
    const header = (name: string) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value);
    expect(envelope).toEqual({ from: letter.from.address, to: [letter.to] });
    expect(mail.from).toMatchObject({ name: 'Vestibüle', address: 'no-reply@sign-in.example' });
    expect(mail.to).toMatchObject([{ name: '', address: 'ada@mail.example' }]);
    expect(mail.replyTo).toMatchObject([{ address: 'help@sign-in.example' }]);
    expect(mail.subject).toBe(letter.subject);
    expect(mail.messageId).toBe(letter.messageId);
    expect(mail.text).toContain(recoveryLink);
    expect(mail.html).toContain(recoveryLink.replace('&', '&amp;'));
    expect(header('auto-submitted')).toEqual(['auto-generated']);
    expect(header('x-auto-response-suppress')).toEqual(['All']);
    expect(header('content-language')).toEqual(['de']);
    expect(header('date')).toEqual(['Sat, 21 Nov 2026 12:00:00 +0000']);
    expect(header('x-mailer')).toEqual([]);
  });

  it('shares connections that stay open', async () => {
    const server = await startMailServer();
    const sender = smtpSender(urlOf(server));
    for (let at = 0; at < 5; at += 1) await sender.send(letter);
    await sender.close();
    expect(server.arrived).toHaveLength(5);
    expect(server.connections()).toBe(1);
  });

  it.each([
    ['a recipient', { to: 'ada@mail.example\r\nBcc: eve@evil.example' }],
    ['a second recipient', { to: 'ada@mail.example, eve@evil.example' }],
    ['a recipient in brackets', { to: '<eve@evil.example>' }],
    ['a recipient with a parameter', { to: 'ada@mail.example> NOTIFY=NEVER' }],
    ['a name as recipient', { to: 'ada' }],
  ])('%s that is none is refused, and nothing is sent', async (_, wrong) => {
    const server = await startMailServer();
    const sender = smtpSender(urlOf(server));
    await expect(sender.send({ ...letter, ...wrong })).rejects.toThrow(Undeliverable);
    await sender.close();
    expect(server.arrived).toEqual([]);
  });

  it('lets no value become a header', async () => {
    const server = await startMailServer();
    const sender = smtpSender(urlOf(server));
    const evil = 'x\r\nBcc: eve@evil.example\r\nX-Evil: yes\r\n\r\n<p>evil</p>';
    await sender.send({
      ...letter,
      subject: `Subject ${evil}`,
      from: { name: `Name ${evil}`, address: letter.from.address },
      messageId: `<id@sign-in.example>${evil}`,
      language: `de${evil}`,
    });
    await sender.close();
    const [{ mail, raw, envelope }] = server.arrived as [(typeof server.arrived)[0]];
    expect(envelope.to).toEqual([letter.to]);
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc');
    expect(mail.headers.map(({ key }) => key)).not.toContain('x-evil');
    expect(raw).not.toMatch(/^(?:Bcc|X-Evil):/im);
    expect(mail.html).toBe(`${letter.html}\n`);
  });

  it('writes a domain in letters of its own for any server', async () => {
    const server = await startMailServer({ hideSMTPUTF8: true });
    const sender = smtpSender(urlOf(server));
    await sender.send({ ...letter, to: 'ada@bücher.example' });
    await sender.close();
    expect(server.arrived[0]?.raw).toContain('To: ada@xn--bcher-kva.example');
    expect(server.arrived[0]?.envelope.to).toEqual(['ada@bücher.example']);
  });

  it('takes an internationalised address to a server that offers SMTPUTF8', async () => {
    const server = await startMailServer({ hideSMTPUTF8: false });
    const sender = smtpSender(urlOf(server));
    await sender.send({ ...letter, to: 'адам@пример.example' });
    await sender.close();
    expect(server.arrived[0]?.envelope.to).toEqual(['адам@пример.example']);
  });

  it('says clearly that a server without SMTPUTF8 cannot take one', async () => {
    const server = await startMailServer({ hideSMTPUTF8: true });
    const sender = smtpSender(urlOf(server));
    await expect(sender.send({ ...letter, to: 'адам@пример.example' })).rejects.toThrow(/does not offer SMTPUTF8/);
    await sender.close();
    expect(server.arrived).toEqual([]);
  });
});

describe('TLS', () => {
  const own = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(own));
  const tls = { ...testCertificate, disabledCommands: ['AUTH'] };

  it.each([
    ['from the start', 'smtps', { ...tls, secure: true }],
    ['by STARTTLS', 'smtp', tls],
  ])('%s is verified: a server that nobody vouches for gets nothing', async (_, scheme, options) => {
    const server = await startMailServer(options);
    const sender = smtpSender({ SMTP_URL: `${scheme}://localhost:${server.port}?tls=required` });
    await expect(sender.send(letter)).rejects.toThrow(/self-signed certificate/);
    await sender.close();
    expect(server.arrived).toEqual([]);
  });

  it.each([
    ['from the start', 'smtps', { ...tls, secure: true }],
    ['by STARTTLS', 'smtp', tls],
  ])('%s carries the mail when the certificate is good', async (_, scheme, options) => {
    setDefaultCACertificates([...own, testCertificate.cert]);
    let secured = false;
    const server = await startMailServer({
      ...options,
      onMailFrom: (_address, session, done) => {
        secured = session.secure;
        done();
      },
    });
    const sender = smtpSender({ SMTP_URL: `${scheme}://localhost:${server.port}?tls=required` });
    await sender.send(letter);
    await sender.close();
    expect([server.arrived.length, secured]).toEqual([1, true]);
  });

  it('takes any certificate of a relay on this machine, which nobody vouches for', async () => {
    const server = await startMailServer(tls);
    const sender = smtpSender({ SMTP_URL: `smtp://localhost:${server.port}` });
    await sender.send(letter);
    await sender.close();
    expect(server.arrived).toHaveLength(1);
  });

  it('that is required is not done without', async () => {
    const server = await startMailServer();
    const sender = smtpSender({ SMTP_URL: `smtp://127.0.0.1:${server.port}?tls=required` });
    await expect(sender.send(letter)).rejects.toThrow(/STARTTLS/);
    await sender.close();
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
    const sender = smtpSender({ SMTP_URL: `smtp://me%40isp:p%3Ass@localhost:${server.port}` });
    await sender.send(letter);
    await sender.close();
    expect(seen).toEqual([{ username: 'me@isp', password: 'p:ss', secure: true }]);
  });
});

describe('the outbox over SMTP', () => {
  it('sends a mail again, under its Message-ID, that the server killed after DATA', async () => {
    const [store, clock] = [await freshStore('sqlite'), testClock()];
    let kills = 2;
    const server = await startMailServer({ answer: (acknowledge, cut) => (kills-- > 0 ? cut() : acknowledge()) });
    const outbox = runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(server)) });
    const id = await postRecovery(store, { to: account('ada', 'ar'), at: clock.now() });
    outbox.wake();
    for (const attempts of [1, 2]) {
      await eventually(async () => expect(await letterOf(store, id)).toMatchObject({ attempts, leased_until: 0 }));
      clock.at = (await letterOf(store, id)).due_at;
      outbox.wake();
    }
    await eventually(async () => expect((await letterOf(store, id)).sent_at).toBe(clock.at));
    expect(server.arrived).toHaveLength(3);
    expect(new Set(server.arrived.map(({ mail }) => mail.messageId))).toEqual(new Set([`<${id}@sign-in.example>`]));
    for (const { mail } of server.arrived) expect(mail.text).toContain(recoveryLink);
  });

  it('delivers when a server that was down is back', async () => {
    const [store, clock] = [await freshStore('sqlite'), testClock()];
    const gone = await startMailServer();
    await gone.close();
    const outbox = runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(gone)) });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(async () => expect((await letterOf(store, id)).last_error).toContain('ECONNREFUSED'));
    const server = await startMailServer({ port: gone.port });
    clock.pass(seconds(3));
    outbox.wake();
    await eventually(() => expect(server.arrived).toHaveLength(1));
  });

  it.each([
    { says: refusal(550, '5.1.1 no such mailbox'), gaveUp: true },
    { says: refusal(553, 'mailbox name not allowed'), gaveUp: true },
    { says: refusal(554, '5.7.1 relay access denied'), gaveUp: false },
    { says: refusal(452, '4.2.2 mailbox full'), gaveUp: false },
  ])(
    'a recipient refused with $says.responseCode $says.message: gives up at once: $gaveUp',
    async ({ says, gaveUp }) => {
      const [store, clock] = [await freshStore('sqlite'), testClock()];
      const server = await startMailServer({ onRcptTo: (_address, _session, done) => done(says) });
      const outbox = runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(server)) });
      const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
      outbox.wake();
      await eventually(async () => expect((await letterOf(store, id)).last_error).toContain(says.message));
      expect((await letterOf(store, id)).gave_up_at).toBe(gaveUp ? clock.at : null);
    },
  );

  it.each([
    [
      'its sender',
      {
        onMailFrom: (_a: unknown, _s: unknown, done: (error?: Error) => void) => done(refusal(550, '5.1.8 bad sender')),
      },
    ],
    [
      'the message',
      { answer: (acknowledge: (error?: Error) => void) => acknowledge(refusal(554, '5.6.0 looks like spam')) },
    ],
  ])('a server that refuses %s for good may be mended: it is tried again', async (_, options) => {
    const [store, clock] = [await freshStore('sqlite'), testClock()];
    const server = await startMailServer(options);
    const outbox = runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(server)) });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(async () => expect((await letterOf(store, id)).last_error).toMatch(/^.*55[04] 5\./));
    expect(await letterOf(store, id)).toMatchObject({ gave_up_at: null, due_at: clock.at + seconds(2) });
  });

  it('waits for a slow server', async () => {
    const [store, clock] = [await freshStore('sqlite'), testClock()];
    const server = await startMailServer({ answer: (acknowledge) => void setTimeout(acknowledge, 700) });
    const outbox = runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(server)) });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(async () => expect((await letterOf(store, id)).sent_at).not.toBeNull());
    expect(server.arrived).toHaveLength(1);
  });

  it.each([
    ['that falls silent', { socketTimeout: 200 }],
    ['that never comes to an end', { longestSend: 300 }],
  ])('leaves a server %s, and tries again', async (_, limits) => {
    const [store, clock] = [await freshStore('sqlite'), testClock()];
    let silent = true;
    const server = await startMailServer({ answer: (acknowledge) => (silent ? undefined : acknowledge()) });
    const outbox = runOutbox({ store, now: clock.now, sender: smtpSender(urlOf(server), limits) });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    outbox.wake();
    await eventually(async () => expect((await letterOf(store, id)).last_error).toMatch(/time-?out|aborted/i));
    silent = false;
    clock.pass(seconds(3));
    outbox.wake();
    await eventually(async () => expect((await letterOf(store, id)).sent_at).not.toBeNull());
    expect(new Set(server.arrived.map(({ mail }) => mail.messageId)).size).toBe(1);
  });
});
