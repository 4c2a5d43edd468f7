import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { telnyx } from './telnyx.ts';

const secrets = ['KEY0189A7B6C5D4E3F2_aBcDeFgHiJkLmNoPqRsTuV'];
const profile = '4900017a-e7c8-e79e-0a7c-0d98f49b09cc';
const verification = '12ade33a-21c0-473b-b055-b3c836e1c292';
const open = (url: string) =>
  telnyx.open({ TELNYX_API_KEY: secrets[0] as string, TELNYX_VERIFY_PROFILE_ID: profile, TELNYX_URL: url });
const headers = { authorization: `Bearer ${secrets[0]}`, 'content-type': 'application/json' };
const placed = { data: { id: verification, type: 'flashcall', phone_number: call.phone, status: 'pending' } };
const refused = (status: number, code: string): Reply => [
  status,
  { errors: [{ code, title: 'Refused', detail: `+79261234567 4083 ${secrets}` }] },
];
const query = { reference: verification, digits: '1234' };

const provider = { open, secrets };

describe('Telnyx', () => {
  it('does not reveal the digits', async () => {
    const server = await startCallServer(() => [200, placed]);
    expect(await open(`${server.url}/v2`).place(call, soon())).toEqual({ kind: 'checked', reference: verification });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/v2/verifications/flashcall',
        headers,
        fields: { phone_number: '+79261234567', verify_profile_id: profile },
      },
    ]);
    expect(server.received[0]?.body).not.toContain(call.code);
  });

  it('speaks our code', async () => {
    const server = await startCallServer(() => [200, placed]);
    expect(await open(server.url).speak?.(call, soon())).toEqual({ kind: 'ours' });
    expect(server.received).toMatchObject([
      {
        path: '/verifications/call',
        fields: { phone_number: '+79261234567', verify_profile_id: profile, custom_code: '4083' },
      },
    ]);
  });

  it.each([
    [200, { data: { phone_number: call.phone, response_code: 'accepted' } }, 'confirmed'],
    [200, { data: { phone_number: call.phone, response_code: 'rejected' } }, 'wrong'],
    [404, { errors: [{ code: '10005' }] }, 'expired'],
  ])('checks the typed digits: %i %j is %s', async (status, body, outcome) => {
    const server = await startCallServer(() => [status, body]);
    expect(await open(server.url).check?.(query, soon())).toBe(outcome);
    expect(server.received).toMatchObject([
      { method: 'POST', path: `/verifications/${verification}/actions/verify`, headers, fields: { code: '1234' } },
    ]);
  });

  it.each([
    [refused(401, '10009'), 'credentials'],
    [refused(500, '10007'), 'unavailable'],
    [[200, { data: { response_code: 'maybe' } }] as Reply, 'unavailable'],
  ])('fails to check the digits: %j is %s', async (reply, reason) => {
    const server = await startCallServer(() => reply as Reply);
    const checking = open(server.url).check?.(query, soon()) as Promise<unknown>;
    expect((await refusalOf(checking, [...secrets, '1234'])).reason).toBe(reason);
  });

  testRefusals(provider, {
    balance: [refused(400, '20100'), refused(402, '99999'), [403, { errors: [{ code: 20100, title: 'Balance' }] }]],
    credentials: [refused(401, '10009'), refused(403, '10010')],
    number: [refused(422, '10016'), refused(400, '10002')],
    rejected: [refused(400, '10015'), refused(400, `${secrets}`)],
    rate: [refused(429, '10011')],
    unavailable: [refused(500, '10007')],
  });

  it.each(['error', 'invalid', 'expired'])(
    'a verification with the initial status “%s” is not a call',
    async (status) => {
      const server = await startCallServer(() => [200, { data: { ...placed.data, status } }]);
      for (const query of [open(server.url).place(call, soon()), open(server.url).speak?.(call, soon())]) {
        expect(await refusalOf(query as Promise<unknown>, secrets)).toMatchObject({
          reason: 'unavailable',
          mayRing: 0,
        });
      }
    },
  );

  testOutages(provider);

  it('reports its credit, and whether the profile has flash calls', async () => {
    const account: Reply = [200, { data: { balance: '300.00', available_credit: '400.00', currency: 'USD' } }];
    const server = await startCallServer((_, count) => (count === 1 ? [200, { data: { flashcall: {} } }] : account));
    expect(await open(server.url).readStatus(soon())).toEqual({ balance: '400.00 USD' });
    expect(server.received).toMatchObject([
      { method: 'GET', path: `/verify_profiles/${profile}` },
      { method: 'GET', path: '/balance' },
    ]);
    expect(await statusWith(open, [[200, { data: { flashcall: null } }], account])).toMatchObject({
      warning: 'flash calls are disabled in the verify profile',
    });
    expect((await refusalOf(statusWith(open, [refused(401, '10009')]), secrets)).reason).toBe('credentials');
  });
});
