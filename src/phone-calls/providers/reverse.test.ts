import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, providers, refusalOf, soon, testRefusals } from '../../testing/provider-tests.ts';
import { openCallStatusCache } from '../outcomes.ts';
import type { CallProvider } from '../provider.ts';

const { secret } = providers;

interface ReverseProvider {
  readonly name: string;
  readonly open: (url: string) => CallProvider;
  readonly begun: Reply;
  readonly reference: string;
  readonly number: string;
  readonly begins: object;
  readonly asks: object;
  readonly standings: readonly (readonly [Reply, string])[];
  readonly refusals: Parameters<typeof testRefusals>[1];
}

const ways: readonly ReverseProvider[] = [
  {
    name: 'sms.ru',
    open: providers.smsRu,
    begun: [200, { status: 'OK', status_code: 100, check_id: '201737-542', call_phone: '78005008275' }],
    reference: '201737-542',
    number: '+78005008275',
    begins: { path: '/callcheck/add', fields: { api_id: secret, phone: '79261234567', json: '1' } },
    asks: { path: '/callcheck/status', fields: { api_id: secret, check_id: '201737-542', json: '1' } },
    standings: [
      [[200, { status: 'OK', check_status: 400 }], 'waiting'],
      [[200, { status: 'OK', check_status: '401' }], 'confirmed'],
      [[200, { status: 'OK', check_status: 402 }], 'expired'],
      [[200, { status: 'OK', check_status: 499 }], 'waiting'],
    ],
    refusals: {
      balance: [[200, { status: 'ERROR', status_code: 201 }]],
      unavailable: [[200, { status: 'OK', check_id: '1', call_phone: 'soon' }]],
    },
  },
  {
    name: 'the webhook',
    open: (url) => providers.webhook(url, 'reverse'),
    begun: [200, { number: '+4930123456' }],
    reference: call.id,
    number: '+4930123456',
    begins: {
      path: '/',
      fields: { id: call.id, way: 'reverse', phone: '+79261234567', locale: 'de', ip: '203.0.113.7' },
    },
    asks: { path: '/', fields: { id: call.id, way: 'reverse', arrived: '?' } },
    standings: [
      [[200, { state: 'waiting' }], 'waiting'],
      [[200, { state: 'confirmed' }], 'confirmed'],
      [[200, { state: 'expired' }], 'expired'],
    ],
    refusals: {
      unavailable: [
        [200, {}],
        [200, { number: '030 123456' }],
      ],
      credentials: [[401, {}]],
    },
  },
];

it.each([78005008275, '78005008275', '+78005008275'])('sms.ru may write its number as %j', async (call_phone) => {
  const server = await startCallServer(() => [200, { status: 'OK', check_id: 201737542, call_phone }]);
  const awaited = { kind: 'awaited', number: '+78005008275', reference: '201737542' };
  expect(await providers.smsRu(server.url).await?.(call, soon())).toEqual(awaited);
});

describe.each(ways)('a call to $name', ({ open, begun, reference, number, begins, asks, standings, refusals }) => {
  it('goes to a number that the provider names', async () => {
    const server = await startCallServer(() => begun);
    expect(await open(server.url).await?.(call, soon())).toEqual({ kind: 'awaited', number, reference });
    expect(server.received).toMatchObject([begins]);
    expect(server.received[0]?.body).not.toContain(call.code);
  });

  it.each(standings)('%j is %s', async (reply, standing) => {
    const server = await startCallServer(() => reply);
    expect(await open(server.url).arrived?.({ reference }, soon())).toBe(standing);
    expect(server.received).toMatchObject([asks]);
  });

  testRefusals({ open, secrets: [secret] }, refusals, (provider) => provider.await?.(call, soon()));

  it('is not confirmed by an incomprehensible status', async () => {
    const server = await startCallServer(() => [200, { status: 'OK', state: 'yes', check_status: 'yes' }]);
    const ask = async () => open(server.url).arrived?.({ reference }, soon());
    expect((await refusalOf(ask(), [secret])).reason).toBe('unavailable');
  });
});

it('a provider gets at most one query per call in two seconds, however many requests we get', async () => {
  let now = 1_000_000;
  const query: string[] = [];
  const arrived = openCallStatusCache(
    async ({ reference }) => {
      query.push(reference);
      return query.length < 3 ? 'waiting' : 'confirmed';
    },
    { now: () => now, pause: 2000 },
  );
  const about = (reference: string) => arrived({ provider: 'one', reference });
  expect(await Promise.all(Array.from({ length: 50 }, () => about('a')))).toEqual(Array(50).fill('waiting'));
  expect(query).toEqual(['a']);
  await about('b');
  now += 2000;
  expect(await about('a')).toBe('confirmed');
  expect(query).toEqual(['a', 'b', 'a']);
});
