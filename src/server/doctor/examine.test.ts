import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { days, minutes, seconds } from '../../contract/units.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { freePort } from '../../testing/free-port.ts';
import { testCertificate } from '../../testing/mail/certificates.ts';
import { startMailServer } from '../../testing/mail/mail-server.ts';
import { readConfig } from '../settings/config.ts';
import { certificateEndsAt, hasCertificate } from './certificate.ts';
import { judgeCertificate, openExaminations } from './examine.ts';
import { checkDisk, judgeSpace } from './examine-data.ts';
import { runCheck } from './finding.ts';

test('a node examines itself once at a time, and again when asked or after five minutes', async () => {
  let greeted = 0;
  const { port } = await startMailServer({
    onConnect(_session, done) {
      greeted += 1;
      done();
    },
  });
  const { dataDir } = await freshDatabase('sqlite');
  const config = readConfig({
    NODE_ENV: 'test',
    DATA_DIR: dataDir,
    PHONE_CONFIRMATION: 'off',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'a@sign-in.example',
  });
  let now = Date.UTC(2026, 10, 21);
  const examined = openExaminations(config, () => now);
  /** How often it has examined itself after so many requests at the same moment. */
  const ask = async (times: number, again: boolean) => {
    await Promise.all(Array.from({ length: times }, () => examined({ again })));
    await expect.poll(async () => (await examined({ again: false })).isRunning).toBe(false);
    return greeted;
  };
  expect(await ask(3, false)).toBe(1);
  expect(await ask(3, true)).toBe(1);
  now += seconds(10);
  expect(await ask(3, false)).toBe(1);
  expect(await ask(3, true)).toBe(2);
  expect((await examined({ again: false })).at).toBe(now);
  now += minutes(5);
  expect(await ask(1, false)).toBe(3);
  now -= minutes(60);
  expect(await ask(1, false)).toBe(4);
});

const megabyte = 2 ** 20;

test.each([
  { free: 0, kept: 0, state: 'failed', says: '0 MB free in /data: on a full disk, every write fails with 503' },
  { free: 31, kept: 0, state: 'failed', says: '31 MB free in /data: on a full disk, every write fails with 503' },
  { free: 100, kept: 1, state: 'warning', says: '100 MB free in /data' },
  { free: 900, kept: 1000, state: 'warning', says: '900 MB free in /data' },
  { free: 1000, kept: 900, state: 'ok', says: '1000 MB free in /data' },
])('$free MB free for a database of $kept MB: $state', async ({ free, kept, state, says }) => {
  const space = { folder: '/data', free: free * megabyte, kept: kept * megabyte };
  expect(await runCheck({ part: 'disk' }, () => judgeSpace(space))).toMatchObject({ part: 'disk', state, says });
});

test('a missing data folder counts as on the disk of its nearest parent', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  const said = await runCheck({ part: 'disk' }, () => checkDisk({ DATA_DIR: `${dataDir}/new/one` }));
  expect(said.says).toMatch(new RegExp(`^\\d+ MB free in ${dataDir}(?:$|:)`));
});

test.each([
  [90, 'ok', /^valid for 90 days, until 1970-04-01/],
  [13, 'warning', /^valid for 13 days, .*: renew it$/],
  [-1, 'failed', /^expired at 1969-12-31/],
])('a certificate that ends in %i days: %s', async (left, state, says) => {
  const found = await runCheck({ part: 'certificate' }, () => judgeCertificate({ endsAt: days(left), now: 0 }));
  expect(found).toMatchObject({ part: 'certificate', state, says: expect.stringMatching(says) });
});

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
