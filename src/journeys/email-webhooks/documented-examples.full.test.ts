import { describe, expect, test } from 'vitest';
import { testSigningCertificate } from '../../testing/mail/certificates.ts';
import {
  certificateUrl,
  mailgunPost,
  post,
  postmarkPost,
  type RelayPost,
  relaySettings,
  sendgridPost,
  snsPost,
} from '../../testing/mail/relays.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

// Every field as in the relay's documentation, except the recipient, the signature and its time.

const postmarkBounce = (email: string) => `{
  "RecordType": "Bounce",
  "MessageStream": "outbound",
  "ID": 4323372036854775807,
  "Type": "HardBounce",
  "TypeCode": 1,
  "Name": "Hard bounce",
  "Tag": "Test",
  "MessageID": "883953f4-6105-42a2-a16a-77a8eac79483",
  "Metadata": { "a_key": "a_value", "b_key": "b_value" },
  "ServerID": 23,
  "Description": "The server was unable to deliver your message (ex: unknown user, mailbox not found).",
  "Details": "Test bounce details",
  "Email": "${email}",
  "From": "sender@example.com",
  "BouncedAt": "2019-11-05T16:33:54.9070259Z",
  "DumpAvailable": true,
  "Inactive": true,
  "CanActivate": true,
  "Subject": "Test subject",
  "Content": "<Full dump of bounce>"
}`;

const postmarkComplaint = (email: string) => `{
  "RecordType": "SpamComplaint",
  "MessageStream": "outbound",
  "ID": 42,
  "Type": "SpamComplaint",
  "TypeCode": 512,
  "Name": "Spam complaint",
  "Tag": "Test",
  "MessageID": "00000000-0000-0000-0000-000000000000",
  "Metadata": { "a_key": "a_value", "b_key": "b_value" },
  "ServerID": 1234,
  "Description": "",
  "Details": "Test spam complaint details",
  "Email": "${email}",
  "From": "sender@example.com",
  "BouncedAt": "2019-11-05T16:33:54.9070259Z",
  "DumpAvailable": true,
  "Inactive": true,
  "CanActivate": false,
  "Subject": "Test subject",
  "Content": "<Abuse report dump>"
}`;

const mailgunFailure = {
  id: 'G9Bn5sl1TC6nu79C8C0bwg',
  timestamp: 1521233195.375624,
  'log-level': 'error',
  event: 'failed',
  severity: 'permanent',
  reason: 'suppress-bounce',
  'delivery-status': {
    'attempt-no': 1,
    message: '',
    code: 605,
    'enhanced-code': '',
    description: 'Not delivering to previously bounced address',
    'session-seconds': 0,
  },
  flags: { 'is-routed': false, 'is-authenticated': true, 'is-system-test': false, 'is-test-mode': false },
  envelope: { sender: 'bob@sandbox.mailgun.org', transport: 'smtp', targets: 'alice@example.com' },
  message: {
    headers: {
      to: 'Alice <alice@example.com>',
      'message-id': '20130503192659.13651.20287@sandbox.mailgun.org',
      from: 'Bob <bob@sandbox.mailgun.org>',
      subject: 'Test permanent_fail webhook',
    },
    attachments: [],
    size: 111,
  },
  'recipient-domain': 'example.com',
  storage: {
    url: 'https://se.api.mailgun.net/v3/domains/sandbox.mailgun.org/messages/message_key',
    key: 'message_key',
  },
  campaigns: [],
  tags: ['my_tag_1', 'my_tag_2'],
  'user-variables': { my_var_1: 'Mailgun Variable #1', 'my-var-2': 'awesome' },
};

const mailgunBounce = {
  ...mailgunFailure,
  reason: 'bounce',
  'delivery-status': {
    tls: true,
    'mx-host': 'aspmx.l.example.org',
    'attempt-no': 1,
    description: '',
    'session-seconds': 2.952177047729492,
    utf8: true,
    code: 550,
    message:
      "5.1.1 The email account that you tried to reach does not exist. Please try\n5.1.1 double-checking the recipient's email address for typos",
    'certificate-verified': true,
  },
};

const mailgunComplaint = {
  id: '-Agny091SquKnsrW2NEKUA',
  timestamp: 1521233123.501324,
  'log-level': 'warn',
  event: 'complained',
  envelope: { 'sending-ip': '173.193.210.33' },
  flags: { 'is-test-mode': false },
  message: mailgunFailure.message,
  campaigns: [],
  tags: ['my_tag_1', 'my_tag_2'],
  'user-variables': {},
};

const sendgridBase = {
  timestamp: 1513299569,
  'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
  category: 'cat facts',
  sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
};
const sendgridBounce = {
  ...sendgridBase,
  event: 'bounce',
  sg_event_id: '6g4ZI7SA-xmRDv57GoPIPw==',
  reason: '500 unknown recipient',
  status: '5.0.0',
};
const sendgridClassified = {
  ...sendgridBase,
  bounce_classification: 'Invalid Address',
  event: 'bounce',
  type: 'bounce',
  tls: 1,
  ip: '192.0.2.7',
  sg_event_id: 'Ym91bmNlLTQtNTA0ODUxOTUtZXVvMmlLeGRTYXlQRjRZRTQtLUk3QS0w',
  reason: '550 5.1.1 The email account that you tried to reach does not exist.',
  status: '5.1.1',
};
const sendgridDropped = {
  ...sendgridBase,
  event: 'dropped',
  sg_event_id: 'zmzJhfJgAfUSOW80yEbPyw==',
  reason: 'Bounced Address',
  status: '5.0.0',
};
const sendgridComplaint = { ...sendgridBase, event: 'spamreport', sg_event_id: '37nvH5QBz858KGVYCM4uOA==' };

const sesMail = {
  timestamp: '2016-01-27T14:59:38.237Z',
  source: 'john@example.com',
  sourceArn: 'arn:aws:ses:us-east-1:888888888888:identity/example.com',
  sourceIp: '127.0.3.0',
  sendingAccountId: '123456789012',
  callerIdentity: 'IAM_user_or_role_name',
  messageId: '00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa0680-000000',
  destination: ['jane@example.com'],
  headersTruncated: false,
  headers: [{ name: 'From', value: '"John Doe" <john@example.com>' }],
  commonHeaders: { from: ['John Doe <john@example.com>'], subject: 'Hello' },
};
const sesBounceWithReport = (email: string) => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    reportingMTA: 'dns; email.example.com',
    bouncedRecipients: [
      {
        emailAddress: email,
        status: '5.1.1',
        action: 'failed',
        diagnosticCode: `smtp; 550 5.1.1 <${email}>... User`,
      },
    ],
    bounceSubType: 'General',
    timestamp: '2016-01-27T14:59:38.237Z',
    feedbackId: '00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa068a-000000',
    remoteMtaIp: '127.0.2.0',
  },
  mail: sesMail,
});
const sesBounceWithoutReport = (email: string) => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress: email }, { emailAddress: 'richard@example.com' }],
    timestamp: '2016-01-27T14:59:38.237Z',
    feedbackId: '00000137860315fd-869464a4-8680-4114-98d3-716fe35851f9-000000',
    remoteMtaIp: '127.0.2.0',
  },
  mail: sesMail,
});
const sesComplaint = (email: string, report: object) => ({
  notificationType: 'Complaint',
  complaint: {
    ...report,
    complainedRecipients: [{ emailAddress: email }],
    timestamp: '2016-01-27T14:59:38.237Z',
    feedbackId: '000001378603177f-18c07c78-fa81-4a58-9dd1-fedc3cb8f49a-000000',
  },
  mail: sesMail,
});
const feedback = {
  userAgent: 'AnyCompany Feedback Loop (V0.01)',
  complaintFeedbackType: 'abuse',
  arrivalDate: '2016-01-27T14:59:38.237Z',
};

const postmark = (body: string): RelayPost => ({ ...postmarkPost({}, { email: '' }), body });

const examples: readonly [relay: string, says: string, write: (email: string) => RelayPost][] = [
  ['postmark', 'a bounce', (email) => postmark(postmarkBounce(email))],
  ['postmark', 'a spam complaint', (email) => postmark(postmarkComplaint(email))],
  ['mailgun', 'a permanent failure', (email) => mailgunPost(mailgunFailure, { email })],
  ['mailgun', 'a bounce', (email) => mailgunPost(mailgunBounce, { email })],
  ['mailgun', 'a spam complaint', (email) => mailgunPost(mailgunComplaint, { email })],
  ['sendgrid', 'a bounce', (email) => sendgridPost([sendgridBounce], { email })],
  ['sendgrid', 'a classified bounce', (email) => sendgridPost([sendgridClassified], { email })],
  ['sendgrid', 'a drop', (email) => sendgridPost([sendgridDropped], { email })],
  ['sendgrid', 'a spam report', (email) => sendgridPost([sendgridComplaint], { email })],
  ['ses', 'a bounce with a report', (email) => snsPost(sesBounceWithReport(email))],
  ['ses', 'a bounce without a report', (email) => snsPost(sesBounceWithoutReport(email))],
  ['ses', 'a complaint with a report', (email) => snsPost(sesComplaint(email, feedback))],
  ['ses', 'a complaint without a report', (email) => snsPost(sesComplaint(email, {}))],
];

describe('the documented example of a relay suppresses the address:', async () => {
  const fetchText = async (url: string) => (url === certificateUrl ? testSigningCertificate.cert : '');
  const server = await openTestServer('sqlite', relaySettings, { fetchText });

  test.each(examples)('%s, %s', async (relay, _, write) => {
    // Some examples have the same id.
    await server.store.deleteFrom('returned_emails').execute();
    const { email, browser } = await register(server);
    expect(await post(server, relay, write(email))).toBe(204);
    expect((await browser.get('/account')).body.email_unreachable).toBe(true);
  });
});
