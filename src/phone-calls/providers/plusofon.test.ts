import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { plusofon } from './plusofon.ts';

const secrets = ['asIMhmb1ADRtpn1MdsxPOfT8yYcV5ftZ'];
const open = (url: string) => plusofon.open({ PLUSOFON_TOKEN: secrets[0] as string, PLUSOFON_URL: url });
const headers = { authorization: `Bearer ${secrets[0]}`, client: '10553', 'content-type': 'application/json' };
const refused = (status: number, message: string): Reply => [status, { success: false, message }];

const provider = { open, secrets };

describe('Plusofon', () => {
  it('rings our digits', async () => {
    const server = await startCallServer(() => [
      200,
      { data: { key: 'key-of-the-call', operator: 'МТС' }, success: true },
    ]);
    expect(await open(server.url).place(call, soon())).toEqual({ kind: 'ours' });
    expect(server.received).toMatchObject([
      { method: 'POST', path: '/api/v1/flash-call/send', headers, fields: { phone: '79261234567', pin: '4083' } },
    ]);
  });

  testRefusals(provider, {
    balance: [refused(400, 'Недостаточно средств на балансе'), refused(402, 'Payment required')],
    credentials: [refused(403, `Недостаточно прав ${secrets}`), refused(401, 'Unauthenticated.')],
    rejected: [refused(422, 'Номер 79261234567 указан некорректно'), refused(400, 'Параметр указан некорректно')],
    rate: [refused(429, 'Too Many Attempts.')],
    unavailable: [refused(200, 'Not now: 4083'), refused(500, 'Server Error')],
  });

  it('rings no phone if the response with status 200 contains a refusal', async () => {
    const server = await startCallServer(() => refused(200, 'Not now'));
    expect(await refusalOf(open(server.url).place(call, soon()), secrets)).toMatchObject({ mayRing: 0 });
  });

  testOutages(provider);

  it('checks its token with a query about a call that does not exist', async () => {
    const server = await startCallServer(() => [404, { message: 'Flashcall key not found' }]);
    expect(await open(server.url).readStatus(soon())).toEqual({
      warning: 'only Plusofon’s own website shows the balance',
    });
    expect(server.received).toMatchObject([{ path: '/api/v1/flash-call/check' }]);
    expect((await refusalOf(statusWith(open, [refused(403, 'Недостаточно прав')]), secrets)).reason).toBe(
      'credentials',
    );
  });
});
