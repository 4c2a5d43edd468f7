import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { days } from '../../contract/units.ts';
import { relaySettings, sesBounce, snsPost } from '../../testing/mail/relays.ts';
import { testSigningCertificate } from '../../testing/mail/signing-certificate.ts';
import { openTestServer } from '../../testing/test-server.ts';

const { validFromDate, validToDate } = new X509Certificate(testSigningCertificate.cert);

it.each<[string, at: number | undefined, status: number]>([
  ['while its certificate is valid', undefined, 204],
  ['before its certificate is valid', validFromDate.getTime() - days(1), 401],
  ['once its certificate has expired', validToDate.getTime() + days(1), 401],
])('an event of Amazon SNS is accepted or refused %s', async (_, at, status) => {
  const server = await openTestServer('sqlite', relaySettings, { fetchText: async () => testSigningCertificate.cert });
  if (at !== undefined) server.forward(at - server.now());
  const { headers, body } = snsPost(sesBounce('Permanent', { email: 'ada@example.com' }), {
    Timestamp: new Date(server.now()).toISOString(),
  });
  const response = await fetch(`${server.url}/mail/returned/ses`, { method: 'POST', headers: { ...headers }, body });
  expect(response.status).toBe(status);
});
