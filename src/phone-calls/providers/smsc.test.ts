import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { smsc } from './smsc.ts';

const secrets = ['operator', 's3cret&psw=x'];
const settings = { SMSC_LOGIN: 'operator', SMSC_PASSWORD: 's3cret&psw=x' };
const open = (url: string) => smsc.open({ ...settings, SMSC_URL: url });
const refused = (error_code: number): Reply => [200, { error: `79261234567 4083 ${secrets}`, error_code, id: 12 }];

const provider = { open, secrets };

describe('SMSC', () => {
  it.each([
    ['394083', '4083'],
    ['390083', '0083'],
    [4083, '4083'],
    [83, '0083'],
  ])('reports the digits that ring: %j', async (code, digits) => {
    const server = await startCallServer(() => [200, { id: 12, cnt: 1, code }]);
    expect(await open(server.url).place(call, soon())).toEqual({ kind: 'theirs', code: digits });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/sys/send.php',
        fields: { login: 'operator', psw: 's3cret&psw=x', phones: '79261234567', mes: 'code', call: '1', fmt: '3' },
      },
    ]);
  });

  testRefusals(provider, {
    balance: [3].map(refused),
    credentials: [2].map(refused),
    rate: [4, 9].map(refused),
    number: [7].map(refused),
    rejected: [6, 8].map(refused),
    unavailable: [1].map(refused),
  });

  it.each([1, '1', 5])('no phone rings after its error %j', async (error_code) => {
    const server = await startCallServer(() => [200, { error: 'wrong', error_code }]);
    expect(await refusalOf(open(server.url).place(call, soon()), secrets)).toMatchObject({ mayRing: 0 });
  });

  testOutages(provider);

  it('reports its balance', async () => {
    expect(await statusWith(open, [[200, { balance: '84.75', currency: 'RUR' }]])).toEqual({ balance: '84.75 RUR' });
    expect((await refusalOf(statusWith(open, [refused(2)]), secrets)).reason).toBe('credentials');
  });
});
