import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { smsRu } from './sms-ru.ts';

const secrets = ['27A9D540-7943-8F3B-6838-C5BDC477A61E'];
const open = (url: string) => smsRu.open({ SMSRU_API_ID: secrets[0] as string, SMSRU_URL: url });
const placed = { status: 'OK', code: '0435', call_id: '000000-10000000', cost: 0.4, balance: 4122.56 };
const refused = (status_code: number): Reply => [
  200,
  { status: 'ERROR', status_code, status_text: `79261234567 4083 ${secrets}` },
];

const provider = { open, secrets };

describe('sms.ru', () => {
  it('reports the digits that ring', async () => {
    const server = await startCallServer(() => [200, placed]);
    expect(await open(server.url).place(call, soon())).toEqual({ kind: 'theirs', code: '0435' });
    expect(server.received).toMatchObject([
      { method: 'POST', path: '/code/call', fields: { api_id: secrets[0], phone: '79261234567', ip: '203.0.113.7' } },
    ]);
    expect(JSON.stringify(server.received[0]?.fields)).not.toContain(call.code);
  });

  it.each([
    ['0435', '0435'],
    [435, '0435'],
    [1435, '1435'],
    ['79991431435', '1435'],
  ])('reads a code written as %j', async (code, digits) => {
    const server = await startCallServer(() => [200, { ...placed, code }]);
    expect(await open(server.url).place(call, soon())).toEqual({ kind: 'theirs', code: digits });
  });

  it.each([['435'], ['14x5'], [''], [1.5], [null]])('rejects %j as a code', async (code) => {
    const server = await startCallServer(() => [200, { ...placed, code }]);
    expect((await refusalOf(open(server.url).place(call, soon()), secrets)).reason).toBe('unavailable');
  });

  it.each(['10.1.2.3', '192.168.0.9', '172.20.1.1', '127.0.0.1', '100.64.3.4', '2001:db8::7', ''])(
    'does not pass on the private or IPv6 address %j',
    async (ip) => {
      const server = await startCallServer(() => [200, placed]);
      await open(server.url).place({ ...call, ip }, soon());
      expect(server.received[0]?.fields).toMatchObject({ ip: '-1' });
    },
  );

  testRefusals(provider, {
    balance: [201].map(refused),
    credentials: [200, 300, 301, 302].map(refused),
    rejected: [202, 207, 209, 204, 221, 550].map(refused),
    unavailable: [203, 220, 500].map(refused),
    rate: [206, 230, 502].map(refused),
  });

  it('reads an error code that is a string', async () => {
    const server = await startCallServer(() => [200, { status: 'ERROR', status_code: '201', status_text: '' }]);
    expect((await refusalOf(open(server.url).place(call, soon()), secrets)).reason).toBe('balance');
  });

  it.each([
    [203, 0],
    [213, 0],
    [220, 1],
    [500, 1],
  ])('after error %i, %i phones may ring', async (code, mayRing) => {
    const server = await startCallServer(() => refused(code));
    expect(await refusalOf(open(server.url).place(call, soon()), secrets)).toMatchObject({ mayRing });
  });

  testOutages(provider);

  it('reports its balance', async () => {
    expect(await statusWith(open, [[200, { status: 'OK', status_code: 100, balance: 4122.56 }]])).toEqual({
      balance: '4122.56 RUB',
    });
    expect((await refusalOf(statusWith(open, [refused(200)]), secrets)).reason).toBe('credentials');
  });
});
