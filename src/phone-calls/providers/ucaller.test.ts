import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { ucaller } from './ucaller.ts';

const secrets = ['9xQ2mKd84hTzVnB1cR6wLpE3sYg7uJfA'];
const open = (url: string) =>
  ucaller.open({
    UCALLER_SERVICE_ID: '103000',
    UCALLER_SECRET: secrets[0] as string,
    UCALLER_URL: url,
  });
const placed = { status: true, ucaller_id: 57251317, phone: '7926***4567', code: '4083', exists: false };
const refused = (code: number, status = 200): Reply => [
  status,
  { status: false, error: `Refused +79261234567 4083 ${secrets}`, code },
];

const provider = { open, secrets };

describe('uCaller', () => {
  it('rings our code, under our idempotency key', async () => {
    const server = await startCallServer(() => [200, placed]);
    expect(await open(`${server.url}/v1.0`).place(call, soon())).toEqual({ kind: 'ours', reference: '57251317' });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/v1.0/initCall',
        headers: { authorization: `Bearer ${secrets[0]}.103000`, 'content-type': 'application/json' },
        fields: { phone: 79261234567, code: '4083', unique: '019a5c2e-7d11-4abc-9def-0a1b2c3d4e5f' },
      },
    ]);
    expect(server.received[0]?.fields).not.toHaveProperty('voice');
  });

  it('speaks our code', async () => {
    const server = await startCallServer(() => [200, placed]);
    expect(await open(server.url).speak?.(call, soon())).toEqual({ kind: 'ours', reference: '57251317' });
    expect(server.received[0]?.fields).toMatchObject({ code: '4083', voice: true });
  });

  it('keeps the leading zeros of a code', async () => {
    const server = await startCallServer(() => [200, placed]);
    await open(server.url).place({ ...call, code: '0042' }, soon());
    expect(server.received[0]?.fields).toMatchObject({ code: '0042' });
  });

  it('may ring a phone that it reports as unreachable: the call is booked, with our digits', async () => {
    const server = await startCallServer(() => [200, { ...placed, status: false }]);
    expect(await open(server.url).place(call, soon())).toEqual({ kind: 'ours', reference: '57251317' });
  });

  it('reads an id and an error code that are strings', async () => {
    const server = await startCallServer(() => [200, { ...placed, ucaller_id: '57251317', phone: 79261234567 }]);
    expect(await open(server.url).place(call, soon())).toEqual({ kind: 'ours', reference: '57251317' });
    const empty = await startCallServer(() => [200, { status: false, error: 'Refused', code: '1002' }]);
    expect(await refusalOf(open(empty.url).place(call, soon()), secrets)).toMatchObject({
      reason: 'balance',
      mayRing: 0,
    });
  });

  it.each([
    [1003, 'this server’s address is not on the service’s list of allowed addresses'],
    [401, 'UCALLER_SERVICE_ID or UCALLER_SECRET is wrong'],
    [4, 'the service is disabled in uCaller’s account'],
  ])('describes error %i in words', async (code, words) => {
    const server = await startCallServer(() => refused(code));
    expect((await refusalOf(open(server.url).place(call, soon()), secrets)).message).toBe(
      `uCaller’s error ${code}: ${words}`,
    );
  });

  testRefusals(provider, {
    balance: [refused(1002)],
    credentials: [refused(401, 401), refused(0), refused(1001), refused(1003), refused(4)],
    number: [refused(3)],
    rejected: [refused(9)],
    rate: [refused(18), refused(429, 429)],
    unavailable: [refused(5), refused(500, 500)],
  });

  testOutages(provider);

  it('reports its balance', async () => {
    const account = { status: true, rub_balance: 84.6, bonus_balance: 0, tariff: 'startup', tariff_name: 'Start' };
    expect(await statusWith(open, [[200, account]])).toEqual({ balance: '84.6 RUB' });
    expect((await refusalOf(statusWith(open, [refused(401, 401)]), secrets)).reason).toBe('credentials');
  });
});
