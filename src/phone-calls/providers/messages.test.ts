import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, providers, refusalOf, soon, testRefusals } from '../../testing/provider-tests.ts';
import type { CallProvider, OrderedCall } from '../provider.ts';
import { telnyx } from './telnyx.ts';

const { secret, sid } = providers;
const messageSid = `SM${'fedcba9876543210'.repeat(2)}`;
const written: OrderedCall = { ...call, message: '4083 ist Ihr Bestätigungscode.\n\n@example.com #4083' };

interface MessageProvider {
  readonly name: string;
  readonly open: (url: string) => CallProvider;
  readonly send: 'text' | 'telegram' | 'speak';
  readonly accepted: readonly Reply[];
  /** Identifies the message in later status queries. */
  readonly reference?: string;
  /** The requests that the provider receives. */
  readonly asked: readonly { readonly path: string; readonly fields: object }[];
  /** Responses to the first request, and the reasons that they translate to. */
  readonly refusals: Parameters<typeof testRefusals>[1];
}

const ways: readonly MessageProvider[] = [
  {
    name: 'sms.ru by text message',
    open: providers.smsRu,
    send: 'text',
    accepted: [[200, { status: 'OK', status_code: 100, sms: { 79261234567: { status: 'OK', status_code: 100 } } }]],
    asked: [
      {
        path: '/sms/send',
        fields: { api_id: secret, to: '79261234567', msg: written.message, json: '1', ip: '203.0.113.7' },
      },
    ],
    refusals: {
      balance: [[200, { status: 'ERROR', status_code: 201 }]],
      rejected: [[200, { status: 'OK', sms: { 79261234567: { status: 'ERROR', status_code: 207 } } }]],
      rate: [[200, { status: 'OK', sms: { 79261234567: { status: 'ERROR', status_code: 231 } } }]],
      unavailable: [
        [200, { status: 'OK' }],
        [200, { status: 'OK', sms: {} }],
      ],
    },
  },
  {
    name: 'SMSC by text message',
    open: providers.smsc,
    send: 'text',
    reference: '7,79261234567',
    accepted: [[200, { id: 7, cnt: 1 }]],
    asked: [{ path: '/sys/send.php', fields: { phones: '79261234567', mes: written.message, charset: 'utf-8' } }],
    refusals: {
      balance: [[200, { error: 'no money', error_code: 3 }]],
      number: [[200, { error: 'wrong number', error_code: 7 }]],
    },
  },
  {
    name: 'Telnyx by text message',
    open: (url) => telnyx.open({ TELNYX_API_KEY: secret, TELNYX_VERIFY_PROFILE_ID: 'profile', TELNYX_URL: url }),
    send: 'text',
    accepted: [[200, { data: { id: 'v', status: 'pending' } }]],
    asked: [
      {
        path: '/verifications/sms',
        fields: { phone_number: '+79261234567', verify_profile_id: 'profile', custom_code: '4083' },
      },
    ],
    refusals: {
      rejected: [[422, { errors: [{ code: '10015' }] }]],
      balance: [[403, { errors: [{ code: '20100' }] }]],
    },
  },
  {
    name: 'Twilio by text message from a number',
    open: (url) => providers.twilio(url),
    send: 'text',
    reference: messageSid,
    accepted: [[201, { sid: messageSid, status: 'queued' }]],
    asked: [
      {
        path: `/2010-04-01/Accounts/${sid}/Messages.json`,
        fields: { To: '+79261234567', From: '+13035550143', Body: written.message },
      },
    ],
    refusals: {
      // A landline is a valid number that we can still call.
      rejected: [
        [400, { code: 21408 }],
        [400, { code: 21610 }],
        [400, { code: 21614 }],
      ],
      credentials: [[400, { code: 21606 }]],
    },
  },
  {
    name: 'Twilio through a messaging service',
    open: (url) => providers.twilio(url, `MG${'0123456789abcdef'.repeat(2)}`),
    send: 'text',
    reference: messageSid,
    accepted: [[201, { sid: messageSid, status: 'accepted' }]],
    asked: [
      {
        path: `/2010-04-01/Accounts/${sid}/Messages.json`,
        fields: { To: '+79261234567', MessagingServiceSid: `MG${'0123456789abcdef'.repeat(2)}`, Body: written.message },
      },
    ],
    refusals: {},
  },
  {
    name: 'Telegram',
    open: providers.telegram,
    send: 'telegram',
    reference: 'r1',
    accepted: [
      [200, { ok: true, result: { request_id: 'r1', phone_number: '79261234567', request_cost: 0.01 } }],
      [200, { ok: true, result: { request_id: 'r1', phone_number: '79261234567', request_cost: 0 } }],
    ],
    asked: [
      { path: '/checkSendAbility', fields: { phone_number: '+79261234567' } },
      {
        path: '/sendVerificationMessage',
        fields: { phone_number: '+79261234567', request_id: 'r1', code: '4083', ttl: 300 },
      },
    ],
    refusals: {
      credentials: [[200, { ok: false, error: 'ACCESS_TOKEN_INVALID' }]],
      balance: [[200, { ok: false, error: 'BALANCE_NOT_ENOUGH' }]],
      // A number without Telegram may still be valid.
      rejected: [[200, { ok: false, error: 'PHONE_NUMBER_NOT_FOUND' }]],
      rate: [[200, { ok: false, error: 'FLOOD_WAIT_30' }]],
      unavailable: [
        [200, { ok: false, error: 'constructor' }],
        [200, { ok: false, error: `SOMETHING_NEW_4083_${secret}` }],
      ],
    },
  },
  {
    name: 'the webhook by text message',
    open: (url) => providers.webhook(url, 'sms'),
    send: 'text',
    accepted: [[200, {}]],
    asked: [
      {
        path: '/',
        fields: { ...call, way: 'sms', message: written.message },
      },
    ],
    refusals: {
      unavailable: [[200, { code: '1234' }]],
      balance: [[402, {}]],
    },
  },
  {
    name: 'the webhook by voice call',
    open: (url) => providers.webhook(url, 'voice'),
    send: 'speak',
    accepted: [[200, {}]],
    asked: [{ path: '/', fields: { id: call.id, way: 'voice', code: '4083' } }],
    refusals: {},
  },
  {
    name: 'the webhook by Telegram',
    open: (url) => providers.webhook(url, 'telegram'),
    send: 'telegram',
    accepted: [[200, {}]],
    asked: [{ path: '/', fields: { id: call.id, way: 'telegram', code: '4083' } }],
    refusals: {},
  },
];

describe.each(ways)('the digits go to $name', ({ open, send, accepted, asked: query, refusals, reference }) => {
  it('as its documentation describes', async () => {
    const server = await startCallServer((_, count) => accepted[count - 1] as Reply);
    expect(await open(server.url)[send]?.(written, soon())).toEqual({ kind: 'ours', ...(reference && { reference }) });
    expect(server.received).toMatchObject(query);
  });

  testRefusals({ open, secrets: [secret] }, refusals, (provider) => provider[send]?.(written, soon()));
});

it('a provider without the settings for text messages does not offer them', () => {
  expect(providers.twilio('http://127.0.0.1:1', null).text).toBeUndefined();
  expect(providers.webhook('http://127.0.0.1:1', 'ring')).not.toHaveProperty('text');
});

it.each<[string, Reply, number]>([
  ['is refused', [200, { ok: false, error: 'BALANCE_NOT_ENOUGH' }], 0],
  ['gets no response', (response) => response.destroy(), 1],
])('Telegram charges for its check even if the message after it %s', async (_, reply, mayRing) => {
  const checked: Reply = [200, { ok: true, result: { request_id: 'r1' } }];
  const server = await startCallServer(({ path }) => (path === '/checkSendAbility' ? checked : reply));
  const refused = await refusalOf((async () => providers.telegram(server.url).telegram(written, soon()))(), [secret]);
  expect(refused).toMatchObject({ charged: true, mayRing });
  // Revokes a message that may still be under way.
  const revoked = () => server.received.filter(({ path }) => path === '/revokeVerificationMessage').length;
  await expect.poll(revoked).toBe(mayRing);
});

it('Telegram does not charge for a check that it refuses', async () => {
  const server = await startCallServer(() => [200, { ok: false, error: 'PHONE_NUMBER_NOT_FOUND' }]);
  const refused = await refusalOf((async () => providers.telegram(server.url).telegram(written, soon()))(), [secret]);
  expect(refused).toMatchObject({ charged: false, mayRing: 0 });
});

it('Telegram gets a report of the typed digits, and revokes a message', async () => {
  const server = await startCallServer(({ path }) => [
    200,
    { ok: true, result: path.startsWith('/revoke') ? true : { request_id: 'r1' } },
  ]);
  await providers.telegram(server.url).succeeded({ reference: 'r1', digits: '408312' }, soon());
  await providers.telegram(server.url).revoke({ reference: 'r1' }, soon());
  expect(server.received).toMatchObject([
    { path: '/checkVerificationStatus', fields: { request_id: 'r1', code: '408312' } },
    { path: '/revokeVerificationMessage', fields: { request_id: 'r1' } },
  ]);
});

it('the operator learns of a token that Telegram refuses, but not of its error about a message that does not exist', async () => {
  const answering = async (error: string) => {
    const server = await startCallServer(() => [200, { ok: false, error }]);
    return providers.telegram(server.url).readStatus(soon());
  };
  expect((await answering('REQUEST_ID_INVALID')).warning).toContain('only sending a message shows');
  expect((await refusalOf(answering('ACCESS_TOKEN_INVALID'), [secret])).reason).toBe('credentials');
});
