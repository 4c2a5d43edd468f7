import { expect, test } from 'vitest';
import { openClient, statusAndCode } from '../testing/client.ts';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase, withPostgres } from '../testing/databases/databases.ts';
import { freePort } from '../testing/free-port.ts';
import { form } from '../testing/people.ts';
import { startProcess } from '../testing/process.ts';

test.runIf(withPostgres)('the service and the command line start with a URL whose first host is down', async () => {
  const { databaseUrl = '', dataDir } = await freshDatabase('postgres');
  const { host } = new URL(databaseUrl);
  const several = databaseUrl.replace(host, `127.0.0.1:${await freePort()},${host}`);
  const service = await startProcess({ dataDir, databaseUrl: several });
  expect(statusAndCode(await openClient(service.url).post('/auth/register', form()))).toBe('201');
  const settings = { DATA_DIR: dataDir, DATABASE_URL: several, PHONE_CONFIRMATION: 'off' };
  const { out } = await runCommand(['doctor'], { folder: dataDir, settings });
  expect(out).toMatch(/^ok {7}database +postgres, tables up to date, 1 account$/m);
});
