import { describe, expect, it } from 'vitest';
import { startCallServer } from '../../testing/call-server.ts';
import { providers, refusalOf, soon } from '../../testing/provider-tests.ts';
import type { CallProvider, Delivery } from '../provider.ts';

const messageSid = `SM${'fedcba9876543210'.repeat(2)}`;
const callSid = `CA${'fedcba9876543210'.repeat(2)}`;

interface ReportingProvider {
  readonly name: string;
  readonly open: (url: string) => CallProvider;
  readonly reference: string;
  readonly asked: object;
  /** The response with a status. */
  readonly answer: (status: string | number) => object;
  readonly statuses: Readonly<Partial<Record<Delivery, readonly (string | number)[]>>>;
}

const reporting: readonly ReportingProvider[] = [
  {
    name: 'Telegram',
    open: providers.telegram,
    reference: 'r1',
    asked: { method: 'POST', path: '/checkVerificationStatus', fields: { request_id: 'r1' } },
    answer: (status) => ({
      ok: true,
      result: {
        request_id: 'r1',
        phone_number: '79261234567',
        request_cost: 0.01,
        is_refunded: status === 'expired',
        delivery_status: { status, updated_at: 1 },
      },
    }),
    statuses: {
      'under way': ['sent', 'something new'],
      delivered: ['delivered', 'read'],
      refunded: ['expired'],
      lost: ['revoked'],
    },
  },
  {
    name: 'Twilio, about a message',
    open: (url) => providers.twilio(url),
    reference: messageSid,
    asked: { method: 'GET', path: `/2010-04-01/Accounts/${providers.sid}/Messages/${messageSid}.json` },
    answer: (status) => ({ sid: messageSid, status, error_code: null }),
    statuses: {
      'under way': ['queued', 'sent'],
      delivered: ['delivered', 'read'],
      lost: ['undelivered', 'failed'],
    },
  },
  {
    name: 'Twilio, about a call',
    open: (url) => providers.twilio(url),
    reference: callSid,
    asked: { method: 'GET', path: `/2010-04-01/Accounts/${providers.sid}/Calls/${callSid}.json` },
    answer: (status) => ({ sid: callSid, status }),
    statuses: {
      'under way': ['ringing', 'in-progress'],
      delivered: ['completed'],
      lost: ['busy', 'no-answer', 'failed'],
    },
  },
  {
    name: 'SMSC',
    open: providers.smsc,
    reference: '7,79261234567',
    asked: { method: 'POST', path: '/sys/status.php', fields: { id: '7', phone: '79261234567', fmt: '3' } },
    answer: (status) => ({ status, last_date: '28.12.2019 19:20:22', last_timestamp: 1577550022, err: 0 }),
    statuses: {
      'under way': [-1, 0, 99],
      delivered: [1, 2, 4],
      lost: [3, 20, 22, 24, 25, '20'],
    },
  },
  {
    name: 'uCaller',
    open: (url) => providers.ucaller(`${url}/v1.0`),
    reference: '103000',
    asked: { method: 'POST', path: '/v1.0/getInfo', fields: { uid: 103000 } },
    answer: (call_status) => ({ status: true, ucaller_id: 103000, init_time: 1556617525, call_status, cost: 0.3 }),
    statuses: {
      'under way': [-1],
      lost: [0, '0'],
      delivered: [1],
    },
  },
];

describe.each(reporting)('$name', ({ open, reference, asked, answer, statuses }) => {
  const rows = Object.entries(statuses).flatMap(([delivery, all]) => all.map((status) => [status, delivery] as const));

  it.each(rows)('reports %j: %s', async (status, delivery) => {
    const server = await startCallServer(() => [200, answer(status)]);
    expect(await open(server.url).delivery?.({ reference }, soon())).toBe(delivery);
    expect(server.received).toMatchObject([asked]);
  });

  it('reports nothing in another format', async () => {
    const server = await startCallServer(() => [200, { said: 'delivered' }]);
    const query = async () => open(server.url).delivery?.({ reference }, soon());
    expect((await refusalOf(query(), [providers.secret])).reason).toBe('unavailable');
  });
});
