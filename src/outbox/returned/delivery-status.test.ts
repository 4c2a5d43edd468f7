import { describe, expect, it } from 'vitest';
import { deliveryReport, gone } from '../../testing/mail/delivery-report.ts';
import { readDeliveryStatus } from './delivery-status.ts';

const kindOf = async (report: string) => (await readDeliveryStatus(Buffer.from(report)))?.kind;
const full = { ...gone, Status: '5.2.2', 'Diagnostic-Code': 'smtp; 552 5.2.2 Mailbox full' };
const arrived = { ...gone, Action: 'relayed', Status: '2.0.0' };

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
        'Final-Recipient': 'rfc822; a@example.com',
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
  const status = await readDeliveryStatus(Buffer.from(deliveryReport(gone)));
  expect(status?.detail).toBe(gone['Diagnostic-Code']);
});
