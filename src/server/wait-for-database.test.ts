import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../testing/command-line.ts';
import { freshDatabase } from '../testing/databases/databases.ts';

test('a PostgreSQL that accepts connections and does not respond is reported, instead of waited for', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  const silent = createServer((socket) => onTestFinished(() => void socket.destroy())).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const settings = {
    DATA_DIR: dataDir,
    DATABASE_URL: `postgres://nobody:secret@127.0.0.1:${port}/none`,
    PHONE_CONFIRMATION: 'off',
  };
  expect(await runCommand(['migrate'], { folder: dataDir, settings })).toMatchObject({
    code: 2,
    err: 'DATABASE_URL: PostgreSQL cannot be used: it accepts connections, but does not respond\n',
  });
});
