import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startCallServer } from '../../testing/call-server.ts';
import { call, refusalOf, soon, statusWith, testOutages, testRefusals } from '../../testing/provider-tests.ts';
import { webhook } from './webhook.ts';

const secrets = ['a-secret-of-the-operator'];
const open = (url: string) =>
  webhook.open({ WEBHOOK_CALL_URL: url, WEBHOOK_CALL_WAYS: ['ring'], WEBHOOK_CALL_SECRET: secrets[0] as string });

const provider = { open, secrets };

describe('the webhook', () => {
  it('receives a signed request for a call', async () => {
    const server = await startCallServer(() => [200, {}]);
    const before = Math.floor(Date.now() / 1000);
    expect(await open(`${server.url}/calls/?tenant=7`).place(call, soon())).toEqual({ kind: 'ours' });
    const [request] = server.received;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/calls/?tenant=7',
      headers: { 'content-type': 'application/json' },
      fields: { id: call.id, phone: '+79261234567', code: '4083', locale: 'de', ip: '203.0.113.7' },
    });
    const [, t = '', v1 = ''] = /^t=(\d+),v1=([\da-f]{64})$/.exec(String(request?.headers['x-signature'])) ?? [];
    expect(Number(t)).toBeGreaterThanOrEqual(before);
    expect(Number(t)).toBeLessThanOrEqual(Date.now() / 1000);
    expect(v1).toBe(
      createHmac('sha256', secrets[0] as string)
        .update(`${t}.${request?.body}`)
        .digest('hex'),
    );
  });

  it.each([200, 201, 202])('may ring another code (%i)', async (status) => {
    const server = await startCallServer(() => [status, { code: '0456' }]);
    expect(await open(server.url).place(call, soon())).toEqual({ kind: 'theirs', code: '0456' });
  });

  testRefusals(provider, {
    unavailable: [
      [200, { code: '123' }],
      [200, { code: 1234 }],
      [200, { code: null }],
      [200, { error: 'no credit' }],
      [200, { status: 'ok', code: '1234' }],
      [204, undefined],
      [200, 'placed'],
      [400, {}],
      [404, { code: '1234' }],
    ],
    credentials: [[401, {}]],
    balance: [[402, {}]],
    rate: [[429, {}]],
  });

  testOutages(provider);

  it('gives its status without a call', async () => {
    const server = await startCallServer(() => (response) => response.writeHead(405).end());
    expect(await open(`${server.url}/calls`).readStatus(soon())).toEqual({
      warning: 'it responds; only a call shows whether it accepts our signature',
    });
    expect(server.received).toMatchObject([{ method: 'HEAD', path: '/calls', body: '' }]);
  });

  it.each([404, 410, 500, 503])('is unavailable if it responds to the status request with %i', async (status) => {
    expect((await refusalOf(statusWith(open, [[status, {}]]), secrets)).reason).toBe('unavailable');
  });
});
