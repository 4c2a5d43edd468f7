import { describe, expect, it } from 'vitest';
import { complaint, deliveryReport, gone } from '../../testing/mail/delivery-report.ts';
import { readReport } from './read-report.ts';

const about = async (report: string) => (await readReport(Buffer.from(report))).about('Anna@example.com');
const kindOf = async (report: string) => (await about(report))?.kind;
const full = { ...gone, Status: '5.2.2', 'Diagnostic-Code': 'smtp; 552 5.2.2 Mailbox full' };
const arrived = { ...gone, Action: 'relayed', Status: '2.0.0' };

const saying = (diagnostic: string, status = '5.0.0') => ({ Status: status, 'Diagnostic-Code': diagnostic });
const forwarded = { ...gone, 'Final-Recipient': 'rfc822; anna@elsewhere.example' };

/** Reports about one recipient that differ so from `gone`, and other reports, by the kind that they are read as. */
const reports: Readonly<Record<string, Readonly<Record<string, string | object>>>> = {
  no_such_address: {
    'about an unknown recipient': gone,
    'with a comment after the status': { Status: '5.1.1 (bad destination mailbox address)' },
    'about a domain without email': { Status: '5.1.10' },
    'with its action in capitals': { Action: 'FAILED' },
    'with a comment after the action': { Action: 'failed (nobody there)' },
    'without a status, but with a code in the diagnostic': deliveryReport({
      'Final-Recipient': 'rfc822; anna@example.com',
      Action: 'failed',
      'Diagnostic-Code': 'smtp; 550 5.1.1 no',
    }),
    'with a folded status': { Status: '\r\n\t5.1.1' },
    'with a code only in the diagnostic': saying('smtp; 550-5.1.1 The account does not exist'),
    'with the recipient in angle brackets': { 'Final-Recipient': 'rfc822;<ANNA@Example.com>' },
    'without a recipient': deliveryReport({ Action: 'failed', Status: '5.1.1' }),
    'with the code and wording of Microsoft': saying(
      'smtp;550 5.4.1 Recipient address rejected: Access denied. For more information see https://aka.ms/EXOSmtpErrors [AM4PEPF.eurprd03.prod.outlook.com]',
      '5.4.1',
    ),
    'with the code and wording of Yandex': saying('smtp; 550 5.7.1 No such user!', '5.7.1'),
    'with a comment after the recipient': { 'Final-Recipient': 'rfc822; anna@example.com (Anna)' },
    'about a forwarded email and two unknown recipients': deliveryReport(gone, gone),
    'about thousands of recipients': deliveryReport(...Array(5000).fill(gone)),
  },
  refused: {
    'about a forwarded email and one full mailbox, with blanks on the line between recipients': deliveryReport(
      full,
      gone,
    ).replaceAll('\r\n\r\nFinal', '\r\n \t\r\nFinal'),
    'without a conclusive code': saying('smtp; 550 no'),
    'about another recipient that the mailbox forwards to': forwarded,
    'about our recipient and another one': deliveryReport(gone, forwarded),
    'with the code of Microsoft alone': saying('smtp; 550 5.4.1 no answer', '5.4.1'),
    'with a code that outweighs the wording': saying('smtp; 550 User unknown', '5.2.1'),
    'about a bad sender': { Status: '5.1.8' },
    'about a sender, with the code of a recipient': saying(
      'smtp; 550 5.1.1 Sender address rejected: User unknown',
      '5.1.1',
    ),
    'about a temporary refusal that lasted too long': saying('smtp; 450 User unknown', '4.4.7'),
    'about a full mailbox': full,
    'about supposed spam': { Status: '5.7.1' },
    'about a forwarded email and one full mailbox': deliveryReport(gone, full),
  },
  delayed: { 'about a delay': { Action: 'delayed', Status: '4.4.1' } },
  nothing: {
    'about a forwarded email that arrived once': deliveryReport(gone, arrived),
    'about an email that arrived': arrived,
    'without any recipient': deliveryReport(),
    'with an unknown action': { Action: 'eaten' },
    'that is an out-of-office reply': 'Subject: Out of office\r\n\r\nI am away. Action: failed\r\nStatus: 5.1.1',
    'that is empty': '',
    'with deeply nested parts': Array.from(
      { length: 500 },
      (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}\r\n`,
    ).join(''),
  },
};

/** Diagnostics of servers that have no code for it, or use the wrong one. */
const worded = {
  no_such_address: [
    'smtp; 550 No such user here',
    'smtp; 550 No such user',
    '550 5.1.1 The email account that you tried to reach does not exist',
    '550 No such user',
    'smtp; 550 The account that you tried to reach does not exist',
    'smtp; 550 <anna@example.com>: User unknown in virtual mailbox table',
    'smtp; 554 delivery error: dd This user doesn’t have a yahoo.com account (anna@yahoo.com) [-9] - mta4.mail.ne1.yahoo.com',
    'smtp; 552 1 Requested mail action aborted, mailbox not found',
    'smtp; 554 30 Sorry, your message to anna@yahoo.com cannot be delivered. This mailbox is disabled (554.30).',
    'smtp; 550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
    'smtp; 550 5.7.1 No such user!',
    "smtp; 5.1.0 - Unknown address error ('550', ['no such mailbox'])",
    'smtp; mx.example.com (Exim 4.96.1) said: 550 No such user',
  ],
  refused: [
    'smtp; 550 Requested action not taken: mailbox unavailable',
    'smtp; 550 Sender verify failed: no such user',
    'smtp; 552 Mailbox of that user is full',
    'smtp; 550 Message blocked as spam; user unknown to us',
    'smtp; 550 relay not permitted, unknown user',
    'smtp; 550 5.1.0 <b+token@door.example>: Sender address rejected: User unknown in virtual mailbox table',
    'smtp; 550 5.1.1 <b+token@door.example>: Sender address rejected: User unknown',
    'smtp; 550 5.1.0 <anna@example.com>: Address rejected',
    'smtp; 450 4.1.1 <anna@example.com>: Recipient address rejected: User unknown',
    'smtp; 450 <anna@example.com>: User unknown',
  ],
};

describe('a report', () => {
  describe.each(Object.entries(reports))('is read as %s', (kind, all) => {
    it.each(Object.entries(all))('%s', async (_, report) => {
      const raw = typeof report === 'string' ? report : deliveryReport({ ...gone, ...report });
      expect((await kindOf(raw)) ?? 'nothing').toBe(kind);
    });
  });

  describe.each(Object.entries(worded))('is read as %s by its words', (kind, all) => {
    it.each(all)('%s', async (diagnostic) => {
      expect(await kindOf(deliveryReport({ ...gone, ...saying(diagnostic) }))).toBe(kind);
    });
  });
});

it('keeps the wording of the refusing server', async () =>
  expect((await about(deliveryReport(gone)))?.detail).toBe(gone['Diagnostic-Code']));

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

/** Lines before the reason cost the parser time, even empty ones. */
const eximAfter = (lines: number) =>
  exim('anna@example.com', '550 No such user').replace('    host', `${'\r\n'.repeat(lines)}    host`);

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

describe('a report without a delivery status', () => {
  it.each([
    ['Exim: an unknown recipient, by wording', exim('anna@example.com', '550 No such user'), 'no_such_address'],
    ['Exim: an unknown recipient, by code', exim('anna@example.com', '550 5.1.1 gone'), 'no_such_address'],
    ['Exim: a temporary refusal', exim('anna@example.com', '450 No such user'), 'refused'],
    ['Exim: a full mailbox', exim('anna@example.com', '552 5.2.2 Over quota'), 'refused'],
    ['Exim: an unknown reason', exim('anna@example.com', '550 Go away'), 'refused'],
    ['Exim: a reason within the 5,000 lines that we read', eximAfter(4900), 'no_such_address'],
    ['Exim: a reason below them', eximAfter(5000), 'refused'],
    ['Exim: another recipient', exim('anna@elsewhere.example', '550 No such user'), 'refused'],
    ['Exim: ours and another', exim('anna@example.com, ben@example.com', '550 No such user'), 'refused'],
    [
      'qmail: an unknown recipient, by code',
      qmail('<anna@example.com>:', 'Sorry, no mailbox here by that name. (#5.1.1)'),
      'no_such_address',
    ],
    [
      'qmail: an unknown recipient, by wording',
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
      'qmail: too long in the queue',
      qmail(
        '<anna@example.com>:',
        "Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)",
        "I'm not going to try again; this message has been in the queue too long.",
      ),
      'refused',
    ],
    ['qmail: no recipient', qmail(), undefined],
    [
      'an out-of-office reply with such a quote',
      'Subject: Re: Welcome\r\n\r\nHi. No such user here: 550 5.1.1',
      undefined,
    ],
  ])('%s', async (_, report, kind) => expect(await kindOf(report)).toBe(kind));
});

const complaintBy = (...complainers: readonly string[]) =>
  complaint({ 'Feedback-Type': ['abuse', ...complainers.map((by) => `Original-Rcpt-To: ${by}`)].join('\r\n') });

describe('a complaint', () => {
  it.each([
    ['about abuse', complaint({ 'Feedback-Type': 'abuse' }), 'complaint'],
    ['about fraud, in capitals', complaint({ 'Feedback-Type': 'Fraud' }), 'complaint'],
    [
      'by our recipient',
      complaint({ 'Feedback-Type': 'abuse', 'Original-Rcpt-To': '<anna@example.com>' }),
      'complaint',
    ],
    ['by another address', complaint({ 'Feedback-Type': 'abuse', 'Original-Rcpt-To': '<ben@example.com>' }), 'refused'],
    ['by two addresses, ours first', complaintBy('<anna@example.com>', '<ben@example.com>'), 'complaint'],
    ['by a redacted address', complaintBy('<redacted>'), 'complaint'],
    ['by a redacted local part', complaintBy('redacted@example.com'), 'complaint'],
    ['that is withdrawn', complaint({ 'Feedback-Type': 'not-spam' }), undefined],
    ['about failed authentication', complaint({ 'Feedback-Type': 'auth-failure' }), undefined],
    ['without a type', complaint({}), undefined],
  ])('%s', async (_, report, kind) => expect(await kindOf(report)).toBe(kind));
});
