import { expect, test } from 'vitest';
import { days } from '../../contract/units.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { judgeCertificate } from './examine.ts';
import { checkDisk, judgeSpace } from './examine-data.ts';
import { runCheck } from './finding.ts';

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
