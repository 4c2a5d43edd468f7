import { describe, expect, it } from 'vitest';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { zvonok } from './zvonok.ts';

const secrets = ['744cb76af68fdda89673169cb24673ed'];
const settings = { ZVONOK_KEY: secrets[0] as string, ZVONOK_CAMPAIGN_ID: '467784382' };
const open = (url: string) =>
  zvonok.open({ ...settings, ZVONOK_VOICE_CAMPAIGN_ID: '485798101', ZVONOK_VOICE_LANGUAGE: 'ru', ZVONOK_URL: url });
const data = { balance: '99.46', call_id: 1191273219673078, created: '2026-11-21 12:00:00', phone: '+79261234567' };
const refused = (status: number, said: string): Reply => [status, { status: 'error', data: said }];

const provider = { open, secrets };

describe('Zvonok', () => {
  it('reports the digits that ring', async () => {
    const server = await startCallServer(() => [200, { status: 'ok', data: { ...data, pincode: '4723' } }]);
    expect(await open(`${server.url}/api/v1`).place(call, soon())).toEqual({ kind: 'theirs', code: '4723' });
    expect(server.received).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/phones/flashcall/',
        fields: { public_key: secrets[0], campaign_id: '467784382', phone: '+79261234567' },
      },
    ]);
  });

  it('speaks our code through a voice campaign', async () => {
    const server = await startCallServer(() => [200, { status: 'ok', data: { ...data, pincode: '4083' } }]);
    expect(await open(server.url).speak?.(call, soon())).toEqual({ kind: 'ours' });
    expect(server.received).toMatchObject([
      { path: '/phones/tellcode/', fields: { campaign_id: '485798101', phone: '+79261234567', pincode: '4083' } },
    ]);
  });

  it('does not offer voice calls without a voice campaign', () => {
    expect(
      zvonok.open({
        ...settings,
        ZVONOK_VOICE_CAMPAIGN_ID: undefined,
        ZVONOK_VOICE_LANGUAGE: 'ru',
        ZVONOK_URL: 'https://zvonok.example',
      }).speak,
    ).toBeUndefined();
  });

  testRefusals(provider, {
    balance: [refused(400, 'Low balance'), refused(400, 'Недостаточно средств')],
    credentials: [
      refused(400, `Invalid public_key ${secrets}`),
      refused(200, 'Campaign not found'),
      refused(403, 'Forbidden'),
    ],
    rejected: [refused(400, 'Phone +79261234567 is not allowed')],
    rate: [refused(429, 'Too many requests')],
    unavailable: [refused(503, 'Overloaded: 4083')],
  });

  it('rings no phone if the response with status 200 contains an error', async () => {
    const server = await startCallServer(() => [200, { status: 'error', data: { phone: ['Invalid phone'] } }]);
    expect(await refusalOf(open(server.url).place(call, soon()), secrets)).toMatchObject({ mayRing: 0 });
  });

  it('is quoted without anything that could be a number, a code or a key', async () => {
    const said = `Call of +7 926 123-45-67 with 4083, key ${secrets}\n\u0000is “not” allowed${' here'.repeat(50)}`;
    const server = await startCallServer(() => refused(400, said));
    const { message } = await refusalOf(open(server.url).place(call, soon()), secrets);
    expect(message).toMatch(/^refused by Zvonok \(HTTP 400\): “Call of \+… with …, key … is “not” allowed here/);
    expect(message.length).toBeLessThan(170);
  });

  testOutages(provider);

  it('reports its balance', async () => {
    const server = await startCallServer(() => [200, { status: 'ok', data: { balance: '99.46' } }]);
    expect(await open(server.url).readStatus(soon())).toEqual({ balance: '99.46' });
    expect(server.received).toMatchObject([{ method: 'GET', path: `/users/balance/?public_key=${secrets}` }]);
    expect(await statusWith(open, [[200, { balance: 99.46 }]])).toEqual({ balance: '99.46' });
    expect((await refusalOf(statusWith(open, [refused(400, 'Invalid key')]), secrets)).reason).toBe('credentials');
  });
});
