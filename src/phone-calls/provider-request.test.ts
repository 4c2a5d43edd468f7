import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startCallServer } from '../testing/call-server.ts';
import { testCertificate } from '../testing/mail/certificates.ts';
import { soon } from '../testing/provider-tests.ts';
import { json, requestProvider } from './provider-request.ts';

it('sends nothing to a server with an untrusted certificate', async () => {
  let call = 0;
  const server = createServer(testCertificate, (_, response) => {
    call += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const base = `https://localhost:${(server.address() as AddressInfo).port}`;
  await expect(requestProvider({ method: 'POST', base, body: json({}), signal: soon() })).rejects.toMatchObject({
    reason: 'unavailable',
    message: expect.stringMatching(/^no connection \((DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)\)$/),
  });
  expect(call).toBe(0);
});

it('requests exactly the configured URL, or a path below it', async () => {
  const server = await startCallServer(() => [200, {}]);
  const base = `${server.url}/hooks/?tenant=7`;
  await requestProvider({ method: 'POST', base, body: json({ name: 'Ж' }), signal: soon() });
  await requestProvider({ method: 'GET', base: `${server.url}/v2/`, path: '/balance', signal: soon() });
  expect(server.received).toMatchObject([
    {
      path: '/hooks/?tenant=7',
      body: '{"name":"Ж"}',
      headers: { 'content-length': '13', connection: 'close', 'accept-encoding': 'identity' },
    },
    { path: '/v2/balance', body: '' },
  ]);
});

it('reports a broken connection, not a missing one, once the request is sent', async () => {
  const server = await startCallServer(() => (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n'));
  await expect(
    requestProvider({ method: 'POST', base: server.url, body: json({}), signal: soon() }),
  ).rejects.toMatchObject({
    message: expect.stringMatching(/^the connection or response broke off \(HPE_\w+\)$/),
    mayRing: 1,
  });
});

it('reads JSON that begins with a byte order mark', async () => {
  const server = await startCallServer(() => (response) => void response.end('\uFEFF{"status":"OK"}'));
  const { body } = await requestProvider({ method: 'GET', base: server.url, signal: soon() });
  expect(body).toEqual({ status: 'OK' });
});

it('does not send a request if there is no time left', async () => {
  const server = await startCallServer(() => [200, {}]);
  await expect(requestProvider({ method: 'GET', base: server.url, signal: AbortSignal.abort() })).rejects.toThrow(
    'no response in time',
  );
  expect(server.received).toEqual([]);
});
