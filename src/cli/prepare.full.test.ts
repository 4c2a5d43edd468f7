import { expect, test } from 'vitest';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase } from '../testing/databases/databases.ts';
import { startProcess } from '../testing/process.ts';

test('prepare renders the pages, so that the next start does not', async () => {
  const database = await freshDatabase('sqlite');
  const settings = {
    NODE_ENV: 'test',
    PUBLIC_URL: 'https://door.example',
    PHONE_CONFIRMATION: 'off',
    TRUSTED_PROXIES: '127.0.0.1',
    DATA_DIR: database.dataDir,
  };
  const prepare = async () => (await runCommand(['prepare', '--json'], { folder: database.dataDir, settings })).out;
  expect(JSON.parse(await prepare())).toMatchObject({ rendered: true });
  expect(JSON.parse(await prepare())).toMatchObject({ rendered: false });
  const service = await startProcess(database, { LOG_LEVEL: 'info' }, { rendersAnew: true });
  const messages = service.log().map(({ msg }) => String(msg));
  expect(messages.filter((msg) => msg.startsWith('rendering pages'))).toEqual([]);
  expect(messages.slice(0, 2)).toEqual(['starting: opening the database', 'the database is open']);
});
