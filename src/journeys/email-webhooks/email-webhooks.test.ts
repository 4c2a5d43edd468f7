import { describe, expect, test } from 'vitest';
import { days, hours } from '../../contract/units.ts';
import { countsBetween } from '../../store/operators/statistics.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import {
  certificateUrl,
  mailgunPost,
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
import { testSigningCertificate } from '../../testing/mail/signing-certificate.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** URLs requested from Amazon, which has one certificate. */
const asked: string[] = [];
const fetchText = async (url: string): Promise<string> => {
  asked.push(url);
  return url === certificateUrl ? testSigningCertificate.cert : '<ok/>';
};

async function post(server: TestServer, relay: string, { headers, body }: RelayPost): Promise<number> {
  const path = `${server.url}/mail/returned/${relay}`;
  const { status } = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return status;
}

async function person(server: TestServer) {
  const { email, browser } = await register(server);
  return { email, isUnreachable: async () => (await browser.get('/account')).body.email_unreachable as boolean };
}

/** Kinds of the reports that were not ignored. */
const kinds = async (server: TestServer) =>
  (await server.store.selectFrom('returned_emails').selectAll().execute()).flatMap(({ kind }) =>
    kind === 'ignored' ? [] : [kind],
  );

const hard = { event: 'failed', severity: 'permanent', reason: 'bounce' };
const bounce = { event: 'bounce', type: 'bounce' };
const statusOf = (code: string) => ({ 'delivery-status': { code: 550, 'enhanced-code': code, message: 'no' } });
/** Each relay's report of an unknown recipient. */
const gone: readonly [relay: string, write: (event: RelayEvent) => RelayPost][] = [
  ['ses', (event) => snsPost(sesBounce('Permanent', event))],
  ['postmark', (event) => postmarkPost({ Type: 'HardBounce', TypeCode: 1 }, event)],
  ['mailgun', (event) => mailgunPost(hard, event)],
  ['sendgrid', (event) => sendgridPost([{ event: 'bounce', type: 'bounce', reason: '550 5.1.1 unknown' }], event)],
];

type Said = readonly [relay: string, says: string, write: (event: RelayEvent) => RelayPost, kind: string | undefined];
const said: readonly Said[] = [
  [
    'ses',
    'signature version 1',
    (event) => snsPost(sesBounce('Permanent', event), { SignatureVersion: '1' }),
    'no_such_address',
  ],
  [
    'ses',
    'with a subject',
    (event) => snsPost(sesBounce('Permanent', event), { Subject: 'Bounce' }),
    'no_such_address',
  ],
  [
    'ses',
    'with `eventType`',
    (event) => snsPost({ ...sesBounce('Permanent', event), notificationType: undefined, eventType: 'Bounce' }),
    'no_such_address',
  ],
  ['ses', 'a temporary bounce', (event) => snsPost(sesBounce('Transient', event)), 'refused'],
  ['ses', 'a complaint', (event) => snsPost(sesComplaint('abuse', event)), 'complaint'],
  ['ses', 'a withdrawn complaint', (event) => snsPost(sesComplaint('not-spam', event)), undefined],
  ['ses', 'a delivery', () => snsPost({ notificationType: 'Delivery', delivery: {} }), undefined],
  ['ses', 'a greeting', () => snsPost('Successfully validated SNS topic for Amazon SES event publishing.'), undefined],
  ['postmark', 'an invalid address', (event) => postmarkPost({ Type: 'BadEmailAddress' }, event), 'no_such_address'],
  [
    'postmark',
    'a complaint',
    (event) => postmarkPost({ RecordType: 'SpamComplaint', Type: 'SpamComplaint' }, event),
    'complaint',
  ],
  ['postmark', 'a soft bounce', (event) => postmarkPost({ Type: 'SoftBounce' }, event), 'refused'],
  ['postmark', 'an out-of-office reply', (event) => postmarkPost({ Type: 'AutoResponder' }, event), undefined],
  ['postmark', 'an unknown kind', (event) => postmarkPost({ Type: 'constructor' }, event), undefined],
  ['postmark', 'a delivery', (event) => postmarkPost({ RecordType: 'Delivery' }, event), undefined],
  ['mailgun', 'a complaint', (event) => mailgunPost({ event: 'complained' }, event), 'complaint'],
  ['mailgun', 'too many retries', (event) => mailgunPost({ ...hard, reason: 'old' }, event), 'refused'],
  ['mailgun', 'a retry', (event) => mailgunPost({ ...hard, severity: 'temporary' }, event), 'delayed'],
  ['mailgun', 'a full mailbox', (event) => mailgunPost({ ...hard, ...statusOf('5.2.2') }, event), 'refused'],
  ['mailgun', 'a policy refusal', (event) => mailgunPost({ ...hard, ...statusOf('5.7.1') }, event), 'refused'],
  [
    'mailgun',
    'a full mailbox, by the message alone',
    (event) =>
      mailgunPost({ ...hard, 'delivery-status': { code: 552, message: '5.2.2 Over quota at 5.1.1.7' } }, event),
    'refused',
  ],
  [
    'mailgun',
    'an inconclusive code',
    (event) => mailgunPost({ ...hard, ...statusOf('5.0.0') }, event),
    'no_such_address',
  ],
  ['mailgun', 'a click', (event) => mailgunPost({ event: 'clicked' }, event), undefined],
  ['sendgrid', 'a complaint', (event) => sendgridPost([{ event: 'spamreport' }], event), 'complaint'],
  ['sendgrid', 'a block', (event) => sendgridPost([{ event: 'bounce', type: 'blocked' }], event), 'refused'],
  ['sendgrid', 'a full mailbox', (event) => sendgridPost([{ ...bounce, reason: '552 5.2.2 full' }], event), 'refused'],
  ['sendgrid', 'a policy refusal', (event) => sendgridPost([{ ...bounce, status: '5.7.1' }], event), 'refused'],
  ['sendgrid', 'a temporary refusal', (event) => sendgridPost([{ ...bounce, status: '4.4.7' }], event), 'refused'],
  [
    'sendgrid',
    'a refusal of the sender',
    (event) => sendgridPost([{ ...bounce, status: '5.1.0', reason: '550 5.1.0 Sender address rejected' }], event),
    'refused',
  ],
  ...['Mailbox Unavailable', 'Reputation', 'Content', 'Technical Failure', 'Frequency or Volume Too High'].map(
    (bounce_classification): Said => [
      'sendgrid',
      `a bounce classified as ${bounce_classification}`,
      (event) => sendgridPost([{ ...bounce, status: '5.1.1', bounce_classification }], event),
      'refused',
    ],
  ),
  [
    'sendgrid',
    'an unclassified bounce',
    (event) => sendgridPost([{ ...bounce, bounce_classification: 'Unclassified' }], event),
    'no_such_address',
  ],
  [
    'postmark',
    'a policy refusal that it calls a hard bounce',
    (event) => postmarkPost({ Type: 'HardBounce', Details: 'smtp;550 5.7.1 Rejected' }, event),
    'refused',
  ],
  [
    'ses',
    'a policy refusal that it calls permanent',
    (event) => {
      const { bounce: it, ...rest } = sesBounce('Permanent', event);
      const [recipient] = it.bouncedRecipients;
      return snsPost({ ...rest, bounce: { ...it, bouncedRecipients: [{ ...recipient, status: '5.7.1' }] } });
    },
    'refused',
  ],
  [
    'sendgrid',
    'a dropped email',
    (event) => sendgridPost([{ event: 'dropped', reason: 'Bounced Address' }], event),
    'no_such_address',
  ],
  ['sendgrid', 'a retry', (event) => sendgridPost([{ event: 'deferred', response: '400 later' }], event), 'delayed'],
  ['sendgrid', 'an unknown event', (event) => sendgridPost([{ event: 'teleported' }], event), undefined],
  [
    'sendgrid',
    'a batch with an unusable event',
    (event) => sendgridPost([{ event: 'spamreport', email: 7 }, { event: 'spamreport' }], event),
    'complaint',
  ],
  [
    'sendgrid',
    'a batch with zero bytes',
    (event) =>
      sendgridPost(
        [
          { event: 'spamreport', email: 'a\0@example.com' },
          { event: 'spamreport', sg_event_id: 'a\0' },
          { event: 'spamreport', reason: 'a\0b' },
        ],
        event,
      ),
    'complaint',
  ],
  ['ses', 'text with a zero byte', (event) => snsPost(sesComplaint('a\0b', event)), 'complaint'],
  [
    'postmark',
    'text with a zero byte',
    (event) => postmarkPost({ Type: 'HardBounce', Details: 'a\0b' }, event),
    'no_such_address',
  ],
  [
    'mailgun',
    'text with a zero byte',
    (event) => mailgunPost({ ...hard, 'delivery-status': { message: '550 5.1.1 a\0b' } }, event),
    'no_such_address',
  ],
];

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

  test.each(said)('%s: %s', async (relay, _, write, kind) => {
    const { email, isUnreachable } = await person(server);
    const before = await kinds(server);
    expect(await post(server, relay, write({ email }))).toBe(204);
    expect((await kinds(server)).length).toBe(before.length + (kind === undefined ? 0 : 1));
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

const changed = (post: RelayPost, from: string | RegExp, to: string): RelayPost => ({
  ...post,
  body: post.body.replace(from, to),
});
const byPostmark = (authorization: string) => (event: RelayEvent) => ({
  ...postmarkPost({ Type: 'HardBounce' }, event),
  headers: { authorization },
});
const certificateAt = (url: string) => (event: RelayEvent) =>
  snsPost(sesBounce('Permanent', event), {}, { SigningCertURL: url });
const longAgo = () => Date.now() - days(8);
const bounced = [{ event: 'bounce', type: 'bounce' }];

const refused: readonly [string, string, (event: RelayEvent) => RelayPost, number][] = [
  ['ses', 'no signature', (event) => snsPost(sesBounce('Permanent', event), {}, { Signature: '' }), 401],
  [
    'ses',
    'an address that was not signed',
    (event) =>
      changed(snsPost(sesBounce('Permanent', { ...event, email: 'x@example.com' })), 'x@example.com', event.email),
    401,
  ],
  [
    'ses',
    'a stranger’s topic',
    (event) => snsPost(sesBounce('Permanent', event), { TopicArn: 'arn:aws:sns:eu-west-1:210987654321:mine' }),
    401,
  ],
  ['ses', 'a certificate at another host', certificateAt('https://evil.example/SimpleNotificationService-1.pem'), 401],
  [
    'ses',
    'a certificate at a lookalike host',
    certificateAt('https://sns.eu-west-1.amazonaws.com.evil.example/a.pem'),
    401,
  ],
  ['ses', 'a certificate in a bucket', certificateAt('https://sns.s3.amazonaws.com/a.pem'), 401],
  ['ses', 'a certificate from another region', certificateAt('https://sns.us-east-1.amazonaws.com/a.pem'), 401],
  ['ses', 'a certificate over http', certificateAt('http://sns.eu-west-1.amazonaws.com/a.pem'), 401],
  ['ses', 'a certificate at another port', certificateAt('https://sns.eu-west-1.amazonaws.com:8443/a.pem'), 401],
  [
    'ses',
    'a certificate URL with a user name',
    certificateAt('https://sns.eu-west-1.amazonaws.com@evil.example/a.pem'),
    401,
  ],
  [
    'ses',
    'a certificate URL with `..` and a query',
    certificateAt('https://sns.eu-west-1.amazonaws.com/a/../?x=.pem'),
    401,
  ],
  [
    'ses',
    'an old report',
    (event) => snsPost(sesBounce('Permanent', event), { Timestamp: new Date(longAgo()).toISOString() }),
    401,
  ],
  ['ses', 'an invalid time', (event) => snsPost(sesBounce('Permanent', event), { Timestamp: 'soon' }), 401],
  ['ses', 'an unknown version', (event) => snsPost(sesBounce('Permanent', event), {}, { SignatureVersion: '3' }), 400],
  ['ses', 'a bounce without recipients', () => snsPost({ notificationType: 'Bounce', bounce: {} }), 400],
  ['ses', 'a body that is not JSON', () => ({ body: '<xml/>' }), 401],
  ['ses', 'a body with a topic that is not JSON', () => ({ body: relaySettings.BOUNCE_SES_TOPIC }), 400],
  ['ses', 'an oversized message', (event) => snsPost(sesComplaint('x'.repeat(256 * 1024), event)), 413],
  ['postmark', 'no password', byPostmark(''), 401],
  [
    'postmark',
    'another password',
    byPostmark(`Basic ${Buffer.from('postmark:another-password').toString('base64')}`),
    401,
  ],
  ['postmark', 'another scheme', byPostmark('Bearer postmark:a-password-of-our-own'), 401],
  [
    'postmark',
    'a bounce with an overlong address',
    (event) => postmarkPost({ Type: 'HardBounce', Email: 'x'.repeat(400) }, event),
    400,
  ],
  [
    'mailgun',
    'another signature',
    (event) => changed(mailgunPost(hard, event), /"signature":"[\da-f]{64}"/, `"signature":"${'0'.repeat(64)}"`),
    401,
  ],
  [
    'mailgun',
    'no signature',
    (event) => changed(mailgunPost(hard, event), /"signature":"[\da-f]{64}"/, '"signature":""'),
    401,
  ],
  [
    'mailgun',
    'a time that was not signed',
    (event) => changed(mailgunPost(hard, event), /"timestamp":"\d+"/, '"timestamp":"1770920772"'),
    401,
  ],
  ['mailgun', 'an old report', (event) => mailgunPost(hard, { ...event, at: longAgo() }), 401],
  ['mailgun', 'a report from the future', (event) => mailgunPost(hard, { ...event, at: Date.now() + hours(2) }), 401],
  [
    'mailgun',
    'a valid signature beside an invalid one',
    (bounced) => {
      const { body } = mailgunPost(hard, bounced);
      const { signature, ...event } = JSON.parse(body);
      return { body: JSON.stringify({ ...event, more: { signature }, signature: { ...signature, timestamp: '1' } }) };
    },
    401,
  ],
  [
    'mailgun',
    'a valid signature without an event',
    (event) => changed(mailgunPost(hard, event), '"event-data"', '"event"'),
    400,
  ],
  ['mailgun', 'an array', () => ({ body: '[]' }), 401],
  ['mailgun', 'an empty body', () => ({ body: '' }), 401],
  ['sendgrid', 'no signature', (event) => ({ body: sendgridPost(bounced, event).body }), 401],
  ['sendgrid', 'a changed body', (event) => changed(sendgridPost(bounced, event), 'bounce', 'bounce '), 401],
  ['sendgrid', 'an old report', (event) => sendgridPost(bounced, { ...event, at: longAgo() }), 401],
  ['sendgrid', 'an empty array', (event) => sendgridPost([], event), 204],
  [
    'sendgrid',
    'an oversized batch',
    (event) => changed(sendgridPost(bounced, event), '[', `[${' '.repeat(1024 * 1024)}`),
    413,
  ],
  ['mailgun', 'an oversized event', (event) => mailgunPost({ ...hard, more: 'x'.repeat(64 * 1024) }, event), 413],
  ['mailgun', 'deep nesting', () => ({ body: '['.repeat(60_000) }), 401],
  ['sendgrid', 'deep nesting', () => ({ body: '['.repeat(500_000) }), 401],
];

describe('a request that no relay sent has no effect:', async () => {
  const server = await openTestServer('sqlite', relaySettings, { fetchText });

  test.each(refused)('%s, %s', async (relay, _, write, status) => {
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
