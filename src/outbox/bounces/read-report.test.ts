import { describe, expect, it } from 'vitest';
import { complaint, deliveryReport, gone } from '../../testing/mail/delivery-report.ts';
import { readReport } from './read-report.ts';

const about = async (report: string) => (await readReport(Buffer.from(report))).about('Anna@example.com');
const kindOf = async (report: string) => (await about(report))?.kind;
const full = { ...gone, Status: '5.2.2', 'Diagnostic-Code': 'smtp; 552 5.2.2 Mailbox full' };
const arrived = { ...gone, Action: 'relayed', Status: '2.0.0' };

const forwarded = { ...gone, 'Final-Recipient': 'rfc822; anna@elsewhere.example' };
const microsoft =
  'smtp;550 5.4.1 Recipient address rejected: Access denied. For more information see https://aka.ms/EXOSmtpErrors [AM4PEPF.eurprd03.prod.outlook.com]';

/** Of servers that have no code for it, or the wrong one. */
const worded: readonly [diagnostic: string, kind: string][] = [
  ['smtp; 550 No such user here', 'no_such_address'],
  ['smtp; 550 No such user', 'no_such_address'],
  ['550 5.1.1 The email account that you tried to reach does not exist', 'no_such_address'],
  ['550 No such user', 'no_such_address'],
  ['smtp; 550 The account that you tried to reach does not exist', 'no_such_address'],
  ['smtp; 550 <anna@example.com>: User unknown in virtual mailbox table', 'no_such_address'],
  [
    'smtp; 554 delivery error: dd This user doesn’t have a yahoo.com account (anna@yahoo.com) [-9] - mta4.mail.ne1.yahoo.com',
    'no_such_address',
  ],
  ['smtp; 552 1 Requested mail action aborted, mailbox not found', 'no_such_address'],
  [
    'smtp; 554 30 Sorry, your message to anna@yahoo.com cannot be delivered. This mailbox is disabled (554.30).',
    'no_such_address',
  ],
  ['smtp; 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).', 'no_such_address'],
  ['smtp; 550 Requested action not taken: mailbox unavailable', 'refused'],
  ['smtp; 550 Sender verify failed: no such user', 'refused'],
  ['smtp; 552 Mailbox of that user is full', 'refused'],
  ['smtp; 550 Message blocked as spam; user unknown to us', 'refused'],
  ['smtp; 550 relay not permitted, unknown user', 'refused'],
];

describe('what a report says', () => {
  it.each([
    ['nobody is there', deliveryReport(gone), 'no_such_address'],
    [
      'with a comment',
      deliveryReport({ ...gone, Status: '5.1.1 (bad destination mailbox address)' }),
      'no_such_address',
    ],
    ['a domain without mail', deliveryReport({ ...gone, Status: '5.1.10' }), 'no_such_address'],
    ['in capitals', deliveryReport({ ...gone, Action: 'FAILED' }), 'no_such_address'],
    [
      'with a comment behind the action',
      deliveryReport({ ...gone, Action: 'failed (nobody there)' }),
      'no_such_address',
    ],
    [
      'by nobody but the server that is quoted',
      deliveryReport({
        'Final-Recipient': 'rfc822; anna@example.com',
        Action: 'failed',
        'Diagnostic-Code': 'smtp; 550 5.1.1 no',
      }),
      'no_such_address',
    ],
    [
      'handed on, and one is full, with blanks on the line between them',
      deliveryReport(full, gone).replaceAll('\r\n\r\nFinal', '\r\n \t\r\nFinal'),
      'refused',
    ],
    ['folded', deliveryReport({ ...gone, Status: '\r\n\t5.1.1' }), 'no_such_address'],
    [
      'only by the server that is quoted',
      deliveryReport({ ...gone, Status: '5.0.0', 'Diagnostic-Code': 'smtp; 550-5.1.1 The account does not exist' }),
      'no_such_address',
    ],
    ['nothing closer', deliveryReport({ ...gone, Status: '5.0.0', 'Diagnostic-Code': 'smtp; 550 no' }), 'refused'],
    ['another recipient, to whom a mailbox hands its mail on', deliveryReport(forwarded), 'refused'],
    ['another recipient besides', deliveryReport(gone, forwarded), 'refused'],
    [
      'the recipient in angle brackets',
      deliveryReport({ ...gone, 'Final-Recipient': 'rfc822;<ANNA@Example.com>' }),
      'no_such_address',
    ],
    ['no recipient', deliveryReport({ Action: 'failed', Status: '5.1.1' }), 'no_such_address'],
    ...worded.map(([diagnostic, kind]): [string, string, string] => [
      diagnostic,
      deliveryReport({ ...gone, Status: '5.0.0', 'Diagnostic-Code': diagnostic }),
      kind,
    ]),
    [
      'Microsoft, by its code and words',
      deliveryReport({ ...gone, Status: '5.4.1', 'Diagnostic-Code': microsoft }),
      'no_such_address',
    ],
    [
      'its code alone',
      deliveryReport({ ...gone, Status: '5.4.1', 'Diagnostic-Code': 'smtp; 550 5.4.1 no answer' }),
      'refused',
    ],
    [
      'a code that tells more than the words',
      deliveryReport({ ...gone, Status: '5.2.1', 'Diagnostic-Code': 'smtp; 550 User unknown' }),
      'refused',
    ],
    ['a bad sender', deliveryReport({ ...gone, Status: '5.1.8' }), 'refused'],
    ['a full mailbox', deliveryReport(full), 'refused'],
    ['spam, as it thinks', deliveryReport({ ...gone, Status: '5.7.1' }), 'refused'],
    ['not yet', deliveryReport({ ...gone, Action: 'delayed', Status: '4.4.1' }), 'delayed'],
    ['handed on, and nobody is at either', deliveryReport(gone, gone), 'no_such_address'],
    ['handed on, and one is full', deliveryReport(gone, full), 'refused'],
    ['handed on, and it arrived at one', deliveryReport(gone, arrived), undefined],
    ['arrived', deliveryReport(arrived), undefined],
    ['of nobody', deliveryReport(), undefined],
    ['an unknown action', deliveryReport({ ...gone, Action: 'eaten' }), undefined],
    ['no report at all', 'Subject: Out of office\r\n\r\nI am away. Action: failed\r\nStatus: 5.1.1', undefined],
    ['nothing', '', undefined],
    ['a report of thousands', deliveryReport(...Array(5000).fill(gone)), 'no_such_address'],
    [
      'parts within parts',
      Array.from(
        { length: 500 },
        (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
      ).join(''),
      undefined,
    ],
  ])('%s', async (_, report, kind) => {
    expect(await kindOf(report)).toBe(kind);
  });
});

it('costs what its beginning does, however many lines follow', async () => {
  const before = process.cpuUsage();
  expect(await kindOf(`Content-Type: text/plain\r\n\r\n${'\n'.repeat(250_000)}`)).toBeUndefined();
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(500);
});

it('keeps the words of the server that refused it', async () => {
  expect((await about(deliveryReport(gone)))?.detail).toBe(gone['Diagnostic-Code']);
});

const exim = (failed: string, said: string) =>
  [
    `X-Failed-Recipients: ${failed}`,
    'Auto-Submitted: auto-replied',
    'From: Mail Delivery System <Mailer-Daemon@mail.example>',
    'Subject: Mail delivery failed: returning message to sender',
    '',
    'This message was created automatically by mail delivery software.',
    '',
    'A message that you sent could not be delivered to one or more of its',
    'recipients. This is a permanent error. The following address(es) failed:',
    '',
    `  ${failed}`,
    '    SMTP error from remote mail server after RCPT TO:<anna@example.com>:',
    `    host mx.example.com [192.0.2.7]: ${said}`,
    '',
    '------ This is a copy of the message, including all the headers. ------',
    '',
    'Subject: Welcome',
    '',
    '    550 No such user',
  ].join('\r\n');

const qmail = (...recipients: readonly string[]) =>
  [
    'From: MAILER-DAEMON@mail.example',
    'Subject: failure notice',
    '',
    'Hi. This is the qmail-send program at mail.example.',
    "I'm afraid I wasn't able to deliver your message to the following addresses.",
    "This is a permanent error; I've given up. Sorry it didn't work out.",
    '',
    ...recipients,
    '',
    '--- Below this line is a copy of the message.',
    '',
    'Subject: Welcome',
    '',
    '<anna@example.com>:',
    'No such user',
  ].join('\r\n');

describe('what a server says without a delivery status', () => {
  it.each([
    ['Exim: nobody is there', exim('anna@example.com', '550 No such user'), 'no_such_address'],
    ['Exim: nobody is there, by a code', exim('anna@example.com', '550 5.1.1 gone'), 'no_such_address'],
    ['Exim: a full mailbox', exim('anna@example.com', '552 5.2.2 Over quota'), 'refused'],
    ['Exim: a reason of its own', exim('anna@example.com', '550 Go away'), 'refused'],
    ['Exim: another recipient', exim('anna@elsewhere.example', '550 No such user'), 'refused'],
    ['Exim: ours and another', exim('anna@example.com, ben@example.com', '550 No such user'), 'refused'],
    [
      'qmail: nobody is there',
      qmail('<anna@example.com>:', 'Sorry, no mailbox here by that name. (#5.1.1)'),
      'no_such_address',
    ],
    [
      'qmail: nobody is there, in words',
      qmail(
        '<anna@example.com>:',
        '192.0.2.7 does not like recipient.',
        'Remote host said: 550 No such user',
        'Giving up on 192.0.2.7.',
      ),
      'no_such_address',
    ],
    ['qmail: a full mailbox', qmail('<anna@example.com>:', 'user is over quota (#5.2.2)'), 'refused'],
    [
      'qmail: another recipient',
      qmail('<anna@elsewhere.example>:', 'no mailbox here by that name. (#5.1.1)'),
      'refused',
    ],
    [
      'qmail: too long under way',
      qmail(
        '<anna@example.com>:',
        "Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)",
        "I'm not going to try again; this message has been in the queue too long.",
      ),
      'refused',
    ],
    ['qmail: nobody', qmail(), undefined],
    ['an absence notice that quotes', 'Subject: Re: Welcome\r\n\r\nHi. No such user here: 550 5.1.1', undefined],
  ])('%s', async (_, report, kind) => {
    expect(await kindOf(report)).toBe(kind);
  });
});

describe('a complaint', () => {
  it.each([
    ['of abuse', complaint({ 'Feedback-Type': 'abuse' }), 'complaint'],
    ['of fraud, in capitals', complaint({ 'Feedback-Type': 'Fraud' }), 'complaint'],
    [
      'by our recipient',
      complaint({ 'Feedback-Type': 'abuse', 'Original-Rcpt-To': '<anna@example.com>' }),
      'complaint',
    ],
    ['by somebody else', complaint({ 'Feedback-Type': 'abuse', 'Original-Rcpt-To': '<ben@example.com>' }), 'refused'],
    ['that is taken back', complaint({ 'Feedback-Type': 'not-spam' }), undefined],
    ['that is a failure of authentication', complaint({ 'Feedback-Type': 'auth-failure' }), undefined],
    ['without a type', complaint({}), undefined],
  ])('%s', async (_, report, kind) => {
    expect(await kindOf(report)).toBe(kind);
  });
});
