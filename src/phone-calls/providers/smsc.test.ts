import { describe, expect, it } from 'vitest';
import { startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { smsc } from './smsc.ts';

const secrets = ['operator', 's3cret&psw=x'];
const settings = { SMSC_LOGIN: 'operator', SMSC_PASSWORD: 's3cret&psw=x' };
const open = (url: string) => smsc.open({ ...settings, SMSC_URL: url });
const refused = (error_code: number) => [[200, { error: `79261234567 4083 ${secrets}`, error_code, id: 12 }]] as const;

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

  testRefusals({ open, secrets }, [
    [...refused(3), 'balance'],
    [...refused(2), 'credentials'],
    [...refused(4), 'rate'],
    [...refused(9), 'rate'],
    [...refused(7), 'number'],
    [...refused(6), 'rejected'],
    [...refused(8), 'rejected'],
    [...refused(1), 'unavailable'],
  ]);

  it.each([1, '1', 5])('no phone rings after its error %j', async (error_code) => {
    const server = await startCallServer(() => [200, { error: 'wrong', error_code }]);
    expect(await refusalOf(open(server.url).place(call, soon()), secrets)).toMatchObject({ mayRing: 0 });
  });

  testOutages({ open, secrets });

  it('reports its balance', async () => {
    expect(await statusWith(open, [[200, { balance: '84.75', currency: 'RUR' }]])).toEqual({ balance: '84.75 RUR' });
    expect((await refusalOf(statusWith(open, [refused(2)[0]]), secrets)).reason).toBe('credentials');
  });
});
