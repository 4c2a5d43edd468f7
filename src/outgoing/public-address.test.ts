import { expect, test } from 'vitest';
import { openReach } from './public-address.ts';
import { sendRequest } from './send-request.ts';

const everywhere = openReach([]);
const office = openReach(['10.1.0.0/16', 'fd00:1::/32']);

test.each([
  ['https://push.example.net/x', true],
  ['https://192.0.78.9/', true],
  ['https://[2606:4700::1]/', true],
  ['http://push.example.net/x', false],
  ['https://user:secret@push.example.net/', false],
  ['ftp://push.example.net/', false],
  ['https://127.0.0.1/', false],
  ['https://127.1/', false],
  ['https://0x7f000001/', false],
  ['https://10.1.2.3/', false],
  ['https://169.254.169.254/latest/meta-data/', false],
  ['https://[::1]/', false],
  ['https://[::ffff:127.0.0.1]/', false],
  ['https://[64:ff9b::7f00:1]/', false],
  ['https://[2002:7f00:1::]/', false],
  ['https://[fd00:1::1]/', false],
  ['https://[fe80::1]/', false],
])('users may name %s: %s', (url, allowed) => expect(everywhere.allows(new URL(url))).toBe(allowed));

test.each([
  ['http://10.1.2.3/', true],
  ['https://[fd00:1::1]/', true],
  ['http://10.2.0.1/', false],
  ['http://192.0.78.9/', false],
  ['https://127.0.0.1/', false],
])('with ranges of the operator, users may name %s: %s', (url, allowed) => {
  expect(office.allows(new URL(url))).toBe(allowed);
});

test.each([
  [everywhere, 'https://localhost:1/'],
  [office, 'http://localhost:1/'],
])('a name that leads to a private address is refused when it is looked up', async (reach, address) => {
  const url = new URL(address);
  expect(reach.allows(url)).toBe(true);
  const asked = sendRequest({
    url,
    method: 'GET',
    headers: {},
    signal: AbortSignal.timeout(60_000),
    longestBody: 0,
    lookup: reach.lookupFor(url),
  });
  await expect(asked).rejects.toThrow('no connection (EPRIVATE)');
});
