/** A report as mail servers write it (RFC 3464), with these fields for each recipient. */
export const deliveryReport = (...recipients: readonly Readonly<Record<string, string>>[]): string =>
  [
    'From: MAILER-DAEMON@mail.example (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="B"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--B',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I am sorry to have to inform you that your message could not be delivered.',
    '',
    '--B',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example',
    'Arrival-Date: Sat, 21 Nov 2026 12:00:00 +0000 (UTC)',
    ...recipients.flatMap((fields) => ['', ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`)]),
    '',
    '--B',
    'Content-Type: message/rfc822',
    '',
    'From: no-reply@door.example',
    'Subject: Welcome',
    '',
    'Hello',
    '--B--',
    '',
  ].join('\r\n');

/** That nobody is there. */
export const gone = {
  'Final-Recipient': 'rfc822; anna@example.com',
  Action: 'failed',
  Status: '5.1.1',
  'Diagnostic-Code': 'smtp; 550 5.1.1 <anna@example.com>: Recipient address rejected: User unknown',
};
