import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { days } from '../../contract/durations.ts';
import { openHouse } from '../../testing/house.ts';
import { relaySettings, sesBounce, snsPost } from '../../testing/mail/relays.ts';
import { testSigningCertificate } from '../../testing/mail/signing-certificate.ts';

const { validFromDate, validToDate } = new X509Certificate(testSigningCertificate.cert);

it.each<[string, at: number | undefined, status: number]>([
  ['while its certificate is valid', undefined, 204],
  ['before its certificate is valid', validFromDate.getTime() - days(1), 401],
  ['once its certificate has expired', validToDate.getTime() + days(1), 401],
])('an event of Amazon SNS is accepted or refused %s', async (_, at, status) => {
  const house = await openHouse('sqlite', relaySettings, { fetchText: async () => testSigningCertificate.cert });
  if (at !== undefined) house.forward(at - house.now());
  const { headers, body } = snsPost(sesBounce('Permanent', { email: 'ada@example.com' }), {
    Timestamp: new Date(house.now()).toISOString(),
  });
  const answer = await fetch(`${house.url}/mail/returned/ses`, { method: 'POST', headers: { ...headers }, body });
  expect(answer.status).toBe(status);
});
