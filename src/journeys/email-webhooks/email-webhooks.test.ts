import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { days, hours } from '../../contract/units.ts';
import { countsBetween } from '../../store/operators/statistics.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { testSigningCertificate } from '../../testing/mail/certificates.ts';
import {
  certificateUrl,
  mailgunPost,
  post,
  postmarkPost,
  type RelayEvent,
  type RelayPost,
  relaySettings,
  sendgridPost,
  sesBounce,
  sesComplaint,
  snsPost,
  subscribeUrl,
} from '../../testing/mail/relays.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** URLs requested from Amazon, which has one certificate. */
const asked: string[] = [];
const fetchText = async (url: string): Promise<string> => {
  asked.push(url);
  return url === certificateUrl ? testSigningCertificate.cert : '<ok/>';
};

async function person(server: TestServer) {
  const { email, browser } = await register(server);
  return { email, isUnreachable: async () => (await browser.get('/account')).body.email_unreachable as boolean };
}

/** Kinds of the reports that were not ignored. */
const kinds = async (server: TestServer) =>
  (await server.store.selectFrom('returned_emails').selectAll().execute()).flatMap(({ kind }) =>
    kind === 'ignored' ? [] : [kind],
  );

type Write = (event: RelayEvent) => RelayPost;

// Requests of each relay, with these events.
const ses =
  (bounceType: string, changes: Record<string, string> = {}, after: object = {}): Write =>
  (event) =>
    snsPost(sesBounce(bounceType, event), changes, after);
const sesAbout =
  (type: string): Write =>
  (event) =>
    snsPost(sesComplaint(type, event));
const postmark =
  (changes: object): Write =>
  (event) =>
    postmarkPost(changes, event);
const mailgun =
  (changes: object): Write =>
  (event) =>
    mailgunPost(changes, event);
const sendgrid =
  (...batch: readonly object[]): Write =>
  (event) =>
    sendgridPost(batch, event);

const hard = { event: 'failed', severity: 'permanent', reason: 'bounce' };
const bounce = { event: 'bounce', type: 'bounce' };
const spam = { event: 'spamreport' };
const statusOf = (code: string) => ({ 'delivery-status': { code: 550, 'enhanced-code': code, message: 'no' } });
/** Each relay's report of an unknown recipient. */
const gone: readonly [relay: string, write: Write][] = [
  ['ses', ses('Permanent')],
  ['postmark', postmark({ Type: 'HardBounce', TypeCode: 1 })],
  ['mailgun', mailgun(hard)],
  ['sendgrid', sendgrid({ ...bounce, reason: '550 5.1.1 unknown' })],
];

type Said = readonly [relay: string, says: string, write: Write];
const sendgridClasses = ['Mailbox Unavailable', 'Reputation', 'Content', 'Technical Failure'];
const said: Readonly<Record<string, readonly Said[]>> = {
  no_such_address: [
    ['ses', 'signature version 1', ses('Permanent', { SignatureVersion: '1' })],
    ['ses', 'with a subject', ses('Permanent', { Subject: 'Bounce' })],
    [
      'ses',
      'with `eventType`',
      (event) => snsPost({ ...sesBounce('Permanent', event), notificationType: undefined, eventType: 'Bounce' }),
    ],
    ['postmark', 'an invalid address', postmark({ Type: 'BadEmailAddress' })],
    ['postmark', 'text with a zero byte', postmark({ Type: 'HardBounce', Details: 'a\0b' })],
    ['mailgun', 'an inconclusive code', mailgun({ ...hard, ...statusOf('5.0.0') })],
    ['mailgun', 'text with a zero byte', mailgun({ ...hard, 'delivery-status': { message: '550 5.1.1 a\0b' } })],
    ['sendgrid', 'an unclassified bounce', sendgrid({ ...bounce, bounce_classification: 'Unclassified' })],
    ['sendgrid', 'a dropped email', sendgrid({ event: 'dropped', reason: 'Bounced Address' })],
  ],
  complaint: [
    ['ses', 'a complaint', sesAbout('abuse')],
    ['ses', 'text with a zero byte', sesAbout('a\0b')],
    ['postmark', 'a complaint', postmark({ RecordType: 'SpamComplaint', Type: 'SpamComplaint' })],
    ['mailgun', 'a complaint', mailgun({ event: 'complained' })],
    ['sendgrid', 'a complaint', sendgrid(spam)],
    ['sendgrid', 'a batch with an unusable event', sendgrid({ ...spam, email: 7 }, spam)],
    [
      'sendgrid',
      'a batch with zero bytes',
      sendgrid({ ...spam, email: 'a\0@example.com' }, { ...spam, sg_event_id: 'a\0' }, { ...spam, reason: 'a\0b' }),
    ],
  ],
  refused: [
    ['ses', 'a temporary bounce', ses('Transient')],
    [
      'ses',
      'a policy refusal that it calls permanent',
      (event) => {
        const { bounce: it, ...rest } = sesBounce('Permanent', event);
        const [recipient] = it.bouncedRecipients;
        return snsPost({ ...rest, bounce: { ...it, bouncedRecipients: [{ ...recipient, status: '5.7.1' }] } });
      },
    ],
    ['postmark', 'a soft bounce', postmark({ Type: 'SoftBounce' })],
    [
      'postmark',
      'a policy refusal that it calls a hard bounce',
      postmark({ Type: 'HardBounce', Details: 'smtp;550 5.7.1 Rejected' }),
    ],
    ['mailgun', 'too many retries', mailgun({ ...hard, reason: 'old' })],
    ['mailgun', 'a full mailbox', mailgun({ ...hard, ...statusOf('5.2.2') })],
    ['mailgun', 'a policy refusal', mailgun({ ...hard, ...statusOf('5.7.1') })],
    [
      'mailgun',
      'a full mailbox, by the message alone',
      mailgun({ ...hard, 'delivery-status': { code: 552, message: '5.2.2 Over quota at 5.1.1.7' } }),
    ],
    ['sendgrid', 'a block', sendgrid({ ...bounce, type: 'blocked' })],
    ['sendgrid', 'a full mailbox', sendgrid({ ...bounce, reason: '552 5.2.2 full' })],
    ['sendgrid', 'a policy refusal', sendgrid({ ...bounce, status: '5.7.1' })],
    ['sendgrid', 'a temporary refusal', sendgrid({ ...bounce, status: '4.4.7' })],
    [
      'sendgrid',
      'a refusal of the sender',
      sendgrid({ ...bounce, status: '5.1.0', reason: '550 5.1.0 Sender address rejected' }),
    ],
    ...[...sendgridClasses, 'Frequency or Volume Too High'].map(
      (bounce_classification): Said => [
        'sendgrid',
        `a bounce classified as ${bounce_classification}`,
        sendgrid({ ...bounce, status: '5.1.1', bounce_classification }),
      ],
    ),
  ],
  delayed: [
    ['mailgun', 'a retry', mailgun({ ...hard, severity: 'temporary' })],
    ['sendgrid', 'a retry', sendgrid({ event: 'deferred', response: '400 later' })],
  ],
  nothing: [
    ['ses', 'a withdrawn complaint', sesAbout('not-spam')],
    ['ses', 'a delivery', () => snsPost({ notificationType: 'Delivery', delivery: {} })],
    ['ses', 'a greeting', () => snsPost('Successfully validated SNS topic for Amazon SES event publishing.')],
    ['postmark', 'an out-of-office reply', postmark({ Type: 'AutoResponder' })],
    ['postmark', 'an unknown kind', postmark({ Type: 'constructor' })],
    ['postmark', 'a delivery', postmark({ RecordType: 'Delivery' })],
    ['mailgun', 'a click', mailgun({ event: 'clicked' })],
    ['sendgrid', 'an unknown event', sendgrid({ event: 'teleported' })],
  ],
};
const everythingSaid = Object.entries(said).flatMap(([kind, rows]) => rows.map((row) => [...row, kind] as const));

describe.each(usualEngines)('reports of relays, on %s,', async (engine) => {
  const server = await openTestServer(engine, relaySettings, { fetchText });

  test.each(gone)('%s: an unknown recipient', async (relay, write) => {
    const { email, isUnreachable } = await person(server);
    const report = write({ email: email.toUpperCase() });
    const before = (await kinds(server)).length;
    expect(await post(server, relay, report)).toBe(204);
    expect(await isUnreachable()).toBe(true);
    await server.store.deleteFrom('unreachable_addresses').execute();
    expect(await post(server, relay, report)).toBe(204);
    expect(await isUnreachable()).toBe(false);
    expect((await kinds(server)).length).toBe(before + 1);
  });

  test.each(everythingSaid)('%s: %s', async (relay, _, write, kind) => {
    const { email, isUnreachable } = await person(server);
    const before = await kinds(server);
    expect(await post(server, relay, write({ email }))).toBe(204);
    expect((await kinds(server)).length).toBe(before.length + (kind === 'nothing' ? 0 : 1));
    expect(await isUnreachable()).toBe(kind === 'no_such_address' || kind === 'complaint');
  });

  test('postmark: the authentication scheme is case-insensitive', async () => {
    const { email, isUnreachable } = await person(server);
    const report = postmarkPost({ Type: 'HardBounce' }, { email });
    const authorization = String(report.headers?.authorization).replace('Basic', 'basic');
    expect(await post(server, 'postmark', { ...report, headers: { authorization } })).toBe(204);
    expect(await isUnreachable()).toBe(true);
  });

  test('postmark: an email that is delayed first and bounces later is two reports, and one bounce', async () => {
    const bounced = async () => {
      await server.counters.flush();
      const counts = await countsBetween(server.store, { series: 'emails', from: 0, to: server.now() });
      return counts.reduce((sum, { label, count }) => (label === 'returned' ? sum + count : sum), 0);
    };
    const before = await bounced();
    const { email, isUnreachable } = await person(server);
    const message = { MessageID: '883953f4-6105-42a2-a16a-77a8eac79483', ID: 4323372036854775807n };
    const report = (Type: string) => {
      const body = { RecordType: 'Bounce', Email: email, Type, MessageID: message.MessageID };
      return { ...postmarkPost({}, { email }), body: JSON.stringify(body).replace('{', `{"ID":${message.ID},`) };
    };
    expect(await post(server, 'postmark', report('Transient'))).toBe(204);
    expect(await isUnreachable()).toBe(false);
    for (let times = 0; times < 2; times += 1) expect(await post(server, 'postmark', report('HardBounce'))).toBe(204);
    expect(await isUnreachable()).toBe(true);
    expect(await bounced()).toBe(before + 1);
  });

  test('an address without an account is not stored, only the fact of the bounce', async () => {
    for (const [relay, write] of gone)
      expect(await post(server, relay, write({ email: 'nobody@example.com' }))).toBe(204);
    const kept = await server.store.selectFrom('unreachable_addresses').select('email').execute();
    expect(kept.map(({ email }) => email)).not.toContain('nobody@example.com');
    const noted = await server.store.selectFrom('returned_emails').selectAll().execute();
    expect(JSON.stringify(noted)).not.toContain('nobody@');
  });

  test('the subscription to a topic is confirmed, but only at Amazon', async () => {
    const confirmation = { Type: 'SubscriptionConfirmation', Token: 't0ken', SubscribeURL: subscribeUrl };
    expect(await post(server, 'ses', snsPost('You have chosen to subscribe', confirmation))).toBe(204);
    expect(asked).toContain(subscribeUrl);
    const elsewhere = { ...confirmation, SubscribeURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/' };
    expect(await post(server, 'ses', snsPost('You have chosen to subscribe', elsewhere))).toBe(401);
    expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
  });
});

test.each(usualEngines)('SendGrid’s largest batch is processed completely, on %s', async (engine) => {
  const server = await openTestServer(engine, relaySettings, { fetchText });
  const batch = Array.from({ length: 11_000 }, (_, at) => ({ event: 'deferred', sg_event_id: String(at) }));
  const report = sendgridPost(batch, { email: 'a@b.cd' });
  const responses: number[] = [];
  // A busy machine may need several requests: each continues where the last one stopped.
  while (responses.at(-1) !== 204 && responses.length < 50) responses.push(await post(server, 'sendgrid', report));
  expect(responses.slice(0, -1).filter((status) => status !== 503)).toEqual([]);
  expect(responses.at(-1)).toBe(204);
  expect(await kinds(server)).toHaveLength(batch.length);
});

const { validFromDate, validToDate } = new X509Certificate(testSigningCertificate.cert);

test.each<[string, at: number | undefined, status: number]>([
  ['while its certificate is valid', undefined, 204],
  ['before its certificate is valid', validFromDate.getTime() - days(1), 401],
  ['once its certificate has expired', validToDate.getTime() + days(1), 401],
])('an event of Amazon SNS is accepted or refused %s', async (_, at, status) => {
  const server = await openTestServer('sqlite', relaySettings, { fetchText });
  if (at !== undefined) server.forward(at - server.now());
  const now = { Timestamp: new Date(server.now()).toISOString() };
  expect(await post(server, 'ses', ses('Permanent', now)({ email: 'ada@example.com' }))).toBe(status);
});

const changed = (post: RelayPost, from: string | RegExp, to: string): RelayPost => ({
  ...post,
  body: post.body.replace(from, to),
});
const byPostmark = (authorization: string) => (event: RelayEvent) => ({
  ...postmarkPost({ Type: 'HardBounce' }, event),
  headers: { authorization },
});
const certificateAt = (url: string) => ses('Permanent', {}, { SigningCertURL: url });
const signed = /"signature":"[\da-f]{64}"/;
const longAgo = () => Date.now() - days(8);

const refused: Readonly<Record<number, readonly Said[]>> = {
  401: [
    ['ses', 'no signature', ses('Permanent', {}, { Signature: '' })],
    [
      'ses',
      'an address that was not signed',
      (event) => changed(ses('Permanent')({ ...event, email: 'x@example.com' }), 'x@example.com', event.email),
    ],
    ['ses', 'a stranger’s topic', ses('Permanent', { TopicArn: 'arn:aws:sns:eu-west-1:210987654321:mine' })],
    ['ses', 'a certificate at another host', certificateAt('https://evil.example/SimpleNotificationService-1.pem')],
    [
      'ses',
      'a certificate at a lookalike host',
      certificateAt('https://sns.eu-west-1.amazonaws.com.evil.example/a.pem'),
    ],
    ['ses', 'a certificate in a bucket', certificateAt('https://sns.s3.amazonaws.com/a.pem')],
    ['ses', 'a certificate from another region', certificateAt('https://sns.us-east-1.amazonaws.com/a.pem')],
    ['ses', 'a certificate over http', certificateAt('http://sns.eu-west-1.amazonaws.com/a.pem')],
    ['ses', 'a certificate at another port', certificateAt('https://sns.eu-west-1.amazonaws.com:8443/a.pem')],
    ['ses', 'a URL with a user name', certificateAt('https://sns.eu-west-1.amazonaws.com@evil.example/a.pem')],
    ['ses', 'a URL with `..` and a query', certificateAt('https://sns.eu-west-1.amazonaws.com/a/../?x=.pem')],
    ['ses', 'an old report', (event) => ses('Permanent', { Timestamp: new Date(longAgo()).toISOString() })(event)],
    ['ses', 'an invalid time', ses('Permanent', { Timestamp: 'soon' })],
    ['ses', 'a body that is not JSON', () => ({ body: '<xml/>' })],
    ['postmark', 'no password', byPostmark('')],
    ['postmark', 'another password', byPostmark(`Basic ${btoa('postmark:another-password')}`)],
    ['postmark', 'another scheme', byPostmark('Bearer postmark:a-password-of-our-own')],
    [
      'mailgun',
      'another signature',
      (event) => changed(mailgunPost(hard, event), signed, `"signature":"${'0'.repeat(64)}"`),
    ],
    ['mailgun', 'no signature', (event) => changed(mailgunPost(hard, event), signed, '"signature":""')],
    [
      'mailgun',
      'a time that was not signed',
      (event) => changed(mailgunPost(hard, event), /"timestamp":"\d+"/, '"timestamp":"1770920772"'),
    ],
    ['mailgun', 'an old report', (event) => mailgunPost(hard, { ...event, at: longAgo() })],
    ['mailgun', 'a report from the future', (event) => mailgunPost(hard, { ...event, at: Date.now() + hours(2) })],
    [
      'mailgun',
      'a valid signature beside an invalid one',
      (bounced) => {
        const { signature, ...event } = JSON.parse(mailgunPost(hard, bounced).body);
        return { body: JSON.stringify({ ...event, more: { signature }, signature: { ...signature, timestamp: '1' } }) };
      },
    ],
    ['mailgun', 'an array', () => ({ body: '[]' })],
    ['mailgun', 'an empty body', () => ({ body: '' })],
    ['mailgun', 'deep nesting', () => ({ body: '['.repeat(60_000) })],
    ['sendgrid', 'no signature', (event) => ({ body: sendgridPost([bounce], event).body })],
    ['sendgrid', 'a changed body', (event) => changed(sendgridPost([bounce], event), 'bounce', 'bounce ')],
    ['sendgrid', 'an old report', (event) => sendgridPost([bounce], { ...event, at: longAgo() })],
    ['sendgrid', 'deep nesting', () => ({ body: '['.repeat(500_000) })],
  ],
  400: [
    ['ses', 'an unknown version', ses('Permanent', {}, { SignatureVersion: '3' })],
    ['ses', 'a bounce without recipients', () => snsPost({ notificationType: 'Bounce', bounce: {} })],
    ['ses', 'a body with a topic that is not JSON', () => ({ body: relaySettings.BOUNCE_SES_TOPIC })],
    ['postmark', 'a bounce with an overlong address', postmark({ Type: 'HardBounce', Email: 'x'.repeat(400) })],
    [
      'mailgun',
      'a valid signature without an event',
      (event) => changed(mailgunPost(hard, event), '"event-data"', '"event"'),
    ],
  ],
  413: [
    ['ses', 'an oversized message', sesAbout('x'.repeat(256 * 1024))],
    ['mailgun', 'an oversized event', mailgun({ ...hard, more: 'x'.repeat(64 * 1024) })],
    [
      'sendgrid',
      'an oversized batch',
      (event) => changed(sendgridPost([bounce], event), '[', `[${' '.repeat(1024 * 1024)}`),
    ],
  ],
  204: [['sendgrid', 'an empty array', sendgrid()]],
};
const everythingRefused = Object.entries(refused).flatMap(([status, rows]) =>
  rows.map((row) => [...row, Number(status)] as const),
);

describe('a request that no relay sent has no effect:', async () => {
  const server = await openTestServer('sqlite', relaySettings, { fetchText });

  test.each(everythingRefused)('%s, %s', async (relay, _, write, status) => {
    const { email, isUnreachable } = await person(server);
    const before = (await kinds(server)).length;
    expect(await post(server, relay, write({ email }))).toBe(status);
    expect(await isUnreachable()).toBe(false);
    expect((await kinds(server)).length).toBe(before);
    expect(asked.filter((url) => url !== certificateUrl && url !== subscribeUrl)).toEqual([]);
  });

  test('a token of Mailgun counts once, whatever event comes with it', async () => {
    const [first, second] = [await person(server), await person(server)];
    const report = mailgunPost({ ...hard, severity: 'temporary' }, { email: first.email });
    expect(await post(server, 'mailgun', report)).toBe(204);
    const forged = changed(changed(report, first.email, second.email), 'temporary', 'permanent');
    expect(await post(server, 'mailgun', forged)).toBe(204);
    expect(await second.isUnreachable()).toBe(false);
  });

  test('the token of an ignored Mailgun event also counts once', async () => {
    const { email, isUnreachable } = await person(server);
    const ignored = mailgunPost({ event: 'clicked', severity: 'permanent', reason: 'bounce' }, { email });
    expect(await post(server, 'mailgun', ignored)).toBe(204);
    expect(await post(server, 'mailgun', changed(ignored, 'clicked', 'failed'))).toBe(204);
    expect(await isUnreachable()).toBe(false);
  });

  test('a relay without a setting has no webhook', async () => {
    const server = await openTestServer('sqlite', { BOUNCE_MAILGUN_KEY: relaySettings.BOUNCE_MAILGUN_KEY });
    const { email } = await person(server);
    for (const [relay, write] of gone) {
      expect(await post(server, relay, write({ email }))).toBe(relay === 'mailgun' ? 204 : 404);
    }
  });
});
