import { describe, expect, it } from 'vitest';
import { startCallServer } from '../../testing/call-server.ts';
import { refusalOf, soon } from '../../testing/provider-tests.ts';
import type { CallProvider, Delivery } from '../provider.ts';
import { smsc } from './smsc.ts';
import { telegram } from './telegram.ts';
import { twilio } from './twilio.ts';
import { ucaller } from './ucaller.ts';

const secret = 'a-secret-of-the-operator-0123456';
const messageSid = `SM${'fedcba9876543210'.repeat(2)}`;
const callSid = `CA${'fedcba9876543210'.repeat(2)}`;
const twilioAt = (url: string) =>
  twilio.open({
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: secret,
    TWILIO_NUMBERS: ['+13035550143', '+13035550178'],
    TWILIO_SMS_FROM: '+13035550143',
    TWILIO_URL: url,
  });

interface ReportingProvider {
  readonly name: string;
  readonly open: (url: string) => CallProvider;
  readonly reference: string;
  readonly asked: object;
  /** The response with a status. */
  readonly answer: (status: string | number) => object;
  readonly statuses: readonly (readonly [string | number, Delivery])[];
}

const providers: readonly ReportingProvider[] = [
  {
    name: 'Telegram',
    open: (url) => telegram.open({ TELEGRAM_GATEWAY_TOKEN: secret, TELEGRAM_GATEWAY_URL: url }),
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
    statuses: [
      ['sent', 'under way'],
      ['delivered', 'delivered'],
      ['read', 'delivered'],
      ['expired', 'refunded'],
      ['revoked', 'lost'],
      ['something new', 'under way'],
    ],
  },
  {
    name: 'Twilio, about a message',
    open: twilioAt,
    reference: messageSid,
    asked: { method: 'GET', path: `/2010-04-01/Accounts/AC1/Messages/${messageSid}.json` },
    answer: (status) => ({ sid: messageSid, status, error_code: null }),
    statuses: [
      ['queued', 'under way'],
      ['sent', 'under way'],
      ['delivered', 'delivered'],
      ['read', 'delivered'],
      ['undelivered', 'lost'],
      ['failed', 'lost'],
    ],
  },
  {
    name: 'Twilio, about a call',
    open: twilioAt,
    reference: callSid,
    asked: { method: 'GET', path: `/2010-04-01/Accounts/AC1/Calls/${callSid}.json` },
    answer: (status) => ({ sid: callSid, status }),
    statuses: [
      ['ringing', 'under way'],
      ['in-progress', 'under way'],
      ['completed', 'delivered'],
      ['busy', 'lost'],
      ['no-answer', 'lost'],
      ['failed', 'lost'],
    ],
  },
  {
    name: 'SMSC',
    open: (url) => smsc.open({ SMSC_LOGIN: 'a', SMSC_PASSWORD: secret, SMSC_URL: url }),
    reference: '7,79261234567',
    asked: { method: 'POST', path: '/sys/status.php', fields: { id: '7', phone: '79261234567', fmt: '3' } },
    answer: (status) => ({ status, last_date: '28.12.2019 19:20:22', last_timestamp: 1577550022, err: 0 }),
    statuses: [
      [-1, 'under way'],
      [0, 'under way'],
      [1, 'delivered'],
      [2, 'delivered'],
      [3, 'lost'],
      [20, 'lost'],
      [22, 'lost'],
      [4, 'delivered'],
      [24, 'lost'],
      [25, 'lost'],
      ['20', 'lost'],
      [99, 'under way'],
    ],
  },
  {
    name: 'uCaller',
    open: (url) =>
      ucaller.open({
        UCALLER_SERVICE_ID: '103000',
        UCALLER_SECRET: secret,
        UCALLER_URL: `${url}/v1.0`,
      }),
    reference: '103000',
    asked: { method: 'POST', path: '/v1.0/getInfo', fields: { uid: 103000 } },
    answer: (call_status) => ({ status: true, ucaller_id: 103000, init_time: 1556617525, call_status, cost: 0.3 }),
    statuses: [
      [-1, 'under way'],
      [0, 'lost'],
      ['0', 'lost'],
      [1, 'delivered'],
    ],
  },
];

describe.each(providers)('$name', ({ open, reference, asked, answer, statuses }) => {
  it.each(statuses)('reports %j: %s', async (status, delivery) => {
    const server = await startCallServer(() => [200, answer(status)]);
    expect(await open(server.url).delivery?.({ reference }, soon())).toBe(delivery);
    expect(server.received).toMatchObject([asked]);
  });

  it('reports nothing in another format', async () => {
    const server = await startCallServer(() => [200, { said: 'delivered' }]);
    const query = async () => open(server.url).delivery?.({ reference }, soon());
    expect((await refusalOf(query(), [secret])).reason).toBe('unavailable');
  });
});
