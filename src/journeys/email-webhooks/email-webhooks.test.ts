import { describe, expect, test } from 'vitest';
import { days, hours } from '../../contract/durations.ts';
import { engines } from '../../testing/databases/databases.ts';
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
  (await server.store.selectFrom('returned_letters').selectAll().execute()).flatMap(({ kind }) =>
    kind === 'ignored' ? [] : [kind],
  );

const hard = { event: 'failed', severity: 'permanent', reason: 'bounce' };
const bounce = { event: 'bounce', type: 'bounce' };
const statusOf = (code: string) => ({ 'delivery-status': { code: 550, 'enhanced-code': code, message: 'no' } });
/** Each relay's report of an unknown recipient. */
const gone: readonly [relay: string, write: (told: RelayEvent) => RelayPost][] = [
  ['ses', (told) => snsPost(sesBounce('Permanent', told))],
  ['postmark', (told) => postmarkPost({ Type: 'HardBounce', TypeCode: 1 }, told)],
  ['mailgun', (told) => mailgunPost(hard, told)],
  ['sendgrid', (told) => sendgridPost([{ event: 'bounce', type: 'bounce', reason: '550 5.1.1 unknown' }], told)],
];

type Said = readonly [relay: string, says: string, write: (told: RelayEvent) => RelayPost, kind: string | undefined];
const said: readonly Said[] = [
  [
    'ses',
    'signature version 1',
    (told) => snsPost(sesBounce('Permanent', told), { SignatureVersion: '1' }),
    'no_such_address',
  ],
  ['ses', 'with a subject', (told) => snsPost(sesBounce('Permanent', told), { Subject: 'Bounce' }), 'no_such_address'],
  [
    'ses',
    'with `eventType`',
    (told) => snsPost({ ...sesBounce('Permanent', told), notificationType: undefined, eventType: 'Bounce' }),
    'no_such_address',
  ],
  ['ses', 'a temporary bounce', (told) => snsPost(sesBounce('Transient', told)), 'refused'],
  ['ses', 'a complaint', (told) => snsPost(sesComplaint('abuse', told)), 'complaint'],
  ['ses', 'a withdrawn complaint', (told) => snsPost(sesComplaint('not-spam', told)), undefined],
  ['ses', 'a delivery', () => snsPost({ notificationType: 'Delivery', delivery: {} }), undefined],
  ['ses', 'a greeting', () => snsPost('Successfully validated SNS topic for Amazon SES event publishing.'), undefined],
  ['postmark', 'an invalid address', (told) => postmarkPost({ Type: 'BadEmailAddress' }, told), 'no_such_address'],
  [
    'postmark',
    'a complaint',
    (told) => postmarkPost({ RecordType: 'SpamComplaint', Type: 'SpamComplaint' }, told),
    'complaint',
  ],
  ['postmark', 'a soft bounce', (told) => postmarkPost({ Type: 'SoftBounce' }, told), 'refused'],
  ['postmark', 'an out-of-office reply', (told) => postmarkPost({ Type: 'AutoResponder' }, told), undefined],
  ['postmark', 'an unknown kind', (told) => postmarkPost({ Type: 'constructor' }, told), undefined],
  ['postmark', 'a delivery', (told) => postmarkPost({ RecordType: 'Delivery' }, told), undefined],
  ['mailgun', 'a complaint', (told) => mailgunPost({ event: 'complained' }, told), 'complaint'],
  ['mailgun', 'too many retries', (told) => mailgunPost({ ...hard, reason: 'old' }, told), 'refused'],
  ['mailgun', 'a retry', (told) => mailgunPost({ ...hard, severity: 'temporary' }, told), 'delayed'],
  ['mailgun', 'a full mailbox', (told) => mailgunPost({ ...hard, ...statusOf('5.2.2') }, told), 'refused'],
  ['mailgun', 'a policy refusal', (told) => mailgunPost({ ...hard, ...statusOf('5.7.1') }, told), 'refused'],
  [
    'mailgun',
    'a full mailbox, by the message alone',
    (told) => mailgunPost({ ...hard, 'delivery-status': { code: 552, message: '5.2.2 Over quota at 5.1.1.7' } }, told),
    'refused',
  ],
  [
    'mailgun',
    'an inconclusive code',
    (told) => mailgunPost({ ...hard, ...statusOf('5.0.0') }, told),
    'no_such_address',
  ],
  ['mailgun', 'a click', (told) => mailgunPost({ event: 'clicked' }, told), undefined],
  ['sendgrid', 'a complaint', (told) => sendgridPost([{ event: 'spamreport' }], told), 'complaint'],
  ['sendgrid', 'a block', (told) => sendgridPost([{ event: 'bounce', type: 'blocked' }], told), 'refused'],
  ['sendgrid', 'a full mailbox', (told) => sendgridPost([{ ...bounce, reason: '552 5.2.2 full' }], told), 'refused'],
  ['sendgrid', 'a policy refusal', (told) => sendgridPost([{ ...bounce, status: '5.7.1' }], told), 'refused'],
  ['sendgrid', 'a temporary refusal', (told) => sendgridPost([{ ...bounce, status: '4.4.7' }], told), 'refused'],
  [
    'sendgrid',
    'a refusal of the sender',
    (told) => sendgridPost([{ ...bounce, status: '5.1.0', reason: '550 5.1.0 Sender address rejected' }], told),
    'refused',
  ],
  ...['Mailbox Unavailable', 'Reputation', 'Content', 'Technical Failure', 'Frequency or Volume Too High'].map(
    (bounce_classification): Said => [
      'sendgrid',
      `a bounce classified as ${bounce_classification}`,
      (told) => sendgridPost([{ ...bounce, status: '5.1.1', bounce_classification }], told),
      'refused',
    ],
  ),
  [
    'sendgrid',
    'an unclassified bounce',
    (told) => sendgridPost([{ ...bounce, bounce_classification: 'Unclassified' }], told),
    'no_such_address',
  ],
  [
    'postmark',
    'a policy refusal that it calls a hard bounce',
    (told) => postmarkPost({ Type: 'HardBounce', Details: 'smtp;550 5.7.1 Rejected' }, told),
    'refused',
  ],
  [
    'ses',
    'a policy refusal that it calls permanent',
    (told) => {
      const { bounce: it, ...rest } = sesBounce('Permanent', told);
      const [recipient] = it.bouncedRecipients;
      return snsPost({ ...rest, bounce: { ...it, bouncedRecipients: [{ ...recipient, status: '5.7.1' }] } });
    },
    'refused',
  ],
  [
    'sendgrid',
    'a dropped email',
    (told) => sendgridPost([{ event: 'dropped', reason: 'Bounced Address' }], told),
    'no_such_address',
  ],
  ['sendgrid', 'a retry', (told) => sendgridPost([{ event: 'deferred', response: '400 later' }], told), 'delayed'],
  ['sendgrid', 'an unknown event', (told) => sendgridPost([{ event: 'teleported' }], told), undefined],
  [
    'sendgrid',
    'a batch with an unusable event',
    (told) => sendgridPost([{ event: 'spamreport', email: 7 }, { event: 'spamreport' }], told),
    'complaint',
  ],
  [
    'sendgrid',
    'a batch with zero bytes',
    (told) =>
      sendgridPost(
        [
          { event: 'spamreport', email: 'a\0@example.com' },
          { event: 'spamreport', sg_event_id: 'a\0' },
          { event: 'spamreport', reason: 'a\0b' },
        ],
        told,
      ),
    'complaint',
  ],
  ['ses', 'text with a zero byte', (told) => snsPost(sesComplaint('a\0b', told)), 'complaint'],
  [
    'postmark',
    'text with a zero byte',
    (told) => postmarkPost({ Type: 'HardBounce', Details: 'a\0b' }, told),
    'no_such_address',
  ],
  [
    'mailgun',
    'text with a zero byte',
    (told) => mailgunPost({ ...hard, 'delivery-status': { message: '550 5.1.1 a\0b' } }, told),
    'no_such_address',
  ],
];

describe.each(engines)('reports of relays, on %s,', (engine) => {
  const opened = openTestServer(engine, relaySettings, { fetchText });

  test.each(gone)('%s: an unknown recipient', async (relay, write) => {
    const server = await opened;
    const { email, isUnreachable } = await person(server);
    const told = write({ email: email.toUpperCase() });
    const before = (await kinds(server)).length;
    expect(await post(server, relay, told)).toBe(204);
    expect(await isUnreachable()).toBe(true);
    await server.store.deleteFrom('unreachable_addresses').execute();
    expect(await post(server, relay, told)).toBe(204);
    expect(await isUnreachable()).toBe(false);
    expect((await kinds(server)).length).toBe(before + 1);
  });

  test.each(said)('%s: %s', async (relay, _, write, kind) => {
    const server = await opened;
    const { email, isUnreachable } = await person(server);
    const before = await kinds(server);
    expect(await post(server, relay, write({ email }))).toBe(204);
    expect((await kinds(server)).length).toBe(before.length + (kind === undefined ? 0 : 1));
    expect(await isUnreachable()).toBe(kind === 'no_such_address' || kind === 'complaint');
  });

  test('postmark: the authentication scheme is case-insensitive', async () => {
    const server = await opened;
    const { email, isUnreachable } = await person(server);
    const told = postmarkPost({ Type: 'HardBounce' }, { email });
    const authorization = String(told.headers?.authorization).replace('Basic', 'basic');
    expect(await post(server, 'postmark', { ...told, headers: { authorization } })).toBe(204);
    expect(await isUnreachable()).toBe(true);
  });

  test('postmark: an email that is delayed first and bounces later is two reports', async () => {
    const server = await opened;
    const { email, isUnreachable } = await person(server);
    const message = { MessageID: '883953f4-6105-42a2-a16a-77a8eac79483', ID: 4323372036854775807n };
    const told = (Type: string) => {
      const body = { RecordType: 'Bounce', Email: email, Type, MessageID: message.MessageID };
      return { ...postmarkPost({}, { email }), body: JSON.stringify(body).replace('{', `{"ID":${message.ID},`) };
    };
    expect(await post(server, 'postmark', told('Transient'))).toBe(204);
    expect(await isUnreachable()).toBe(false);
    expect(await post(server, 'postmark', told('HardBounce'))).toBe(204);
    expect(await isUnreachable()).toBe(true);
  });

  test('an address without an account is not stored, only the fact of the bounce', async () => {
    const server = await opened;
    for (const [relay, write] of gone)
      expect(await post(server, relay, write({ email: 'nobody@example.com' }))).toBe(204);
    const kept = await server.store.selectFrom('unreachable_addresses').select('email').execute();
    expect(kept.map(({ email }) => email)).not.toContain('nobody@example.com');
    const noted = await server.store.selectFrom('returned_letters').selectAll().execute();
    expect(JSON.stringify(noted)).not.toContain('nobody@');
  });

  test('the subscription to a topic is confirmed, but only at Amazon', async () => {
    const confirmation = { Type: 'SubscriptionConfirmation', Token: 't0ken', SubscribeURL: subscribeUrl };
    expect(await post(await opened, 'ses', snsPost('You have chosen to subscribe', confirmation))).toBe(204);
    expect(asked).toContain(subscribeUrl);
    const elsewhere = { ...confirmation, SubscribeURL: 'https://sns.eu-west-1.amazonaws.com.evil.example/' };
    expect(await post(await opened, 'ses', snsPost('You have chosen to subscribe', elsewhere))).toBe(401);
    expect(asked.filter((url) => url.includes('evil'))).toEqual([]);
  });
});

test.each(engines)('SendGrid’s largest batch is processed completely, on %s', async (engine) => {
  const server = await openTestServer(engine, relaySettings, { fetchText });
  const batch = Array.from({ length: 11_000 }, (_, at) => ({ event: 'deferred', sg_event_id: String(at) }));
  const told = sendgridPost(batch, { email: 'a@b.cd' });
  const answers: number[] = [];
  // A busy machine may need several requests: each continues where the last one stopped.
  while (answers.at(-1) !== 204 && answers.length < 50) answers.push(await post(server, 'sendgrid', told));
  expect(answers.slice(0, -1).filter((status) => status !== 503)).toEqual([]);
  expect(answers.at(-1)).toBe(204);
  expect(await kinds(server)).toHaveLength(batch.length);
});

const changed = (post: RelayPost, from: string | RegExp, to: string): RelayPost => ({
  ...post,
  body: post.body.replace(from, to),
});
const byPostmark = (authorization: string) => (told: RelayEvent) => ({
  ...postmarkPost({ Type: 'HardBounce' }, told),
  headers: { authorization },
});
const certificateAt = (url: string) => (told: RelayEvent) =>
  snsPost(sesBounce('Permanent', told), {}, { SigningCertURL: url });
const longAgo = () => Date.now() - days(8);
const bounced = [{ event: 'bounce', type: 'bounce' }];

const refused: readonly [string, string, (told: RelayEvent) => RelayPost, number][] = [
  ['ses', 'no signature', (told) => snsPost(sesBounce('Permanent', told), {}, { Signature: '' }), 401],
  [
    'ses',
    'an address that was not signed',
    (told) =>
      changed(snsPost(sesBounce('Permanent', { ...told, email: 'x@example.com' })), 'x@example.com', told.email),
    401,
  ],
  [
    'ses',
    'a stranger’s topic',
    (told) => snsPost(sesBounce('Permanent', told), { TopicArn: 'arn:aws:sns:eu-west-1:210987654321:mine' }),
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
    (told) => snsPost(sesBounce('Permanent', told), { Timestamp: new Date(longAgo()).toISOString() }),
    401,
  ],
  ['ses', 'an invalid time', (told) => snsPost(sesBounce('Permanent', told), { Timestamp: 'soon' }), 401],
  ['ses', 'an unknown version', (told) => snsPost(sesBounce('Permanent', told), {}, { SignatureVersion: '3' }), 400],
  ['ses', 'a bounce without recipients', () => snsPost({ notificationType: 'Bounce', bounce: {} }), 400],
  ['ses', 'a body that is not JSON', () => ({ body: '<xml/>' }), 401],
  ['ses', 'a body with a topic that is not JSON', () => ({ body: relaySettings.BOUNCE_SES_TOPIC }), 400],
  ['ses', 'an oversized message', (told) => snsPost(sesComplaint('x'.repeat(256 * 1024), told)), 413],
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
    (told) => postmarkPost({ Type: 'HardBounce', Email: 'x'.repeat(400) }, told),
    400,
  ],
  [
    'mailgun',
    'another signature',
    (told) => changed(mailgunPost(hard, told), /"signature":"[\da-f]{64}"/, `"signature":"${'0'.repeat(64)}"`),
    401,
  ],
  [
    'mailgun',
    'no signature',
    (told) => changed(mailgunPost(hard, told), /"signature":"[\da-f]{64}"/, '"signature":""'),
    401,
  ],
  [
    'mailgun',
    'a time that was not signed',
    (told) => changed(mailgunPost(hard, told), /"timestamp":"\d+"/, '"timestamp":"1770920772"'),
    401,
  ],
  ['mailgun', 'an old report', (told) => mailgunPost(hard, { ...told, at: longAgo() }), 401],
  ['mailgun', 'a report from the future', (told) => mailgunPost(hard, { ...told, at: Date.now() + hours(2) }), 401],
  [
    'mailgun',
    'a valid signature beside an invalid one',
    (told) => {
      const { body } = mailgunPost(hard, told);
      const { signature, ...event } = JSON.parse(body);
      return { body: JSON.stringify({ ...event, more: { signature }, signature: { ...signature, timestamp: '1' } }) };
    },
    401,
  ],
  [
    'mailgun',
    'a valid signature without an event',
    (told) => changed(mailgunPost(hard, told), '"event-data"', '"event"'),
    400,
  ],
  ['mailgun', 'an array', () => ({ body: '[]' }), 401],
  ['mailgun', 'an empty body', () => ({ body: '' }), 401],
  ['sendgrid', 'no signature', (told) => ({ body: sendgridPost(bounced, told).body }), 401],
  ['sendgrid', 'a changed body', (told) => changed(sendgridPost(bounced, told), 'bounce', 'bounce '), 401],
  ['sendgrid', 'an old report', (told) => sendgridPost(bounced, { ...told, at: longAgo() }), 401],
  ['sendgrid', 'an empty array', (told) => sendgridPost([], told), 204],
  [
    'sendgrid',
    'an oversized batch',
    (told) => changed(sendgridPost(bounced, told), '[', `[${' '.repeat(1024 * 1024)}`),
    413,
  ],
  ['mailgun', 'an oversized event', (told) => mailgunPost({ ...hard, more: 'x'.repeat(64 * 1024) }, told), 413],
  ['mailgun', 'deep nesting', () => ({ body: '['.repeat(60_000) }), 401],
  ['sendgrid', 'deep nesting', () => ({ body: '['.repeat(500_000) }), 401],
];

describe('a request that no relay sent has no effect:', () => {
  const opened = openTestServer('sqlite', relaySettings, { fetchText });

  test.each(refused)('%s, %s', async (relay, _, write, status) => {
    const server = await opened;
    const { email, isUnreachable } = await person(server);
    const before = (await kinds(server)).length;
    expect(await post(server, relay, write({ email }))).toBe(status);
    expect(await isUnreachable()).toBe(false);
    expect((await kinds(server)).length).toBe(before);
    expect(asked.filter((url) => url !== certificateUrl && url !== subscribeUrl)).toEqual([]);
  });

  test('a token of Mailgun counts once, whatever event comes with it', async () => {
    const server = await opened;
    const [first, second] = [await person(server), await person(server)];
    const told = mailgunPost({ ...hard, severity: 'temporary' }, { email: first.email });
    expect(await post(server, 'mailgun', told)).toBe(204);
    const forged = changed(changed(told, first.email, second.email), 'temporary', 'permanent');
    expect(await post(server, 'mailgun', forged)).toBe(204);
    expect(await second.isUnreachable()).toBe(false);
  });

  test('the token of an ignored Mailgun event also counts once', async () => {
    const server = await opened;
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
