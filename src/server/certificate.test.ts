import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../testing/free-port.ts';
import { testCertificate } from '../testing/mail/certificate.ts';
import { certificateEndsAt, hasCertificate } from './certificate.ts';

test('the end of a certificate is known also if nobody trusts it', async () => {
  const server = createServer(testCertificate).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await certificateEndsAt(`https://127.0.0.1:${port}`)).toBeGreaterThan(Date.now());
  await expect(certificateEndsAt(`https://127.0.0.1:${await freePort()}`)).rejects.toThrow('ECONNREFUSED');
});

test.each([
  ['https://account.example.com', true],
  ['https://localhost:8443', false],
  ['http://account.example.com', false],
])('visitors of %s need a certificate: %s', (url, needs) => expect(hasCertificate(url)).toBe(needs));
