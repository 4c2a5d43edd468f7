import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../contract/units.ts';
import { currentProgram } from '../testing/built.ts';
import { compileCache } from '../testing/compile-cache.ts';
import { freshDatabase } from '../testing/databases/databases.ts';
import { freePort } from '../testing/free-port.ts';
import { shareRenderings } from '../testing/process.ts';

test.runIf(existsSync('/dev/full'))('a full disk for the log neither stops nor blocks the service', async () => {
  const { dataDir } = await freshDatabase('sqlite');
  shareRenderings(dataDir);
  const port = await freePort();
  const full = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(full));
  const { PATH } = process.env;
  const service = spawn(process.execPath, [currentProgram('server')], {
    cwd: dataDir,
    env: {
      PATH,
      ...compileCache,
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      PORT: String(port),
      PUBLIC_URL: 'https://door.example',
      PHONE_CONFIRMATION: 'off',
    },
    stdio: ['ignore', full, 'inherit'],
  });
  onTestFinished(() => void service.kill('SIGKILL'));
  const ended = once(service, 'exit');
  const statusOf = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(minutes(1)) }).then(
      ({ status }) => status,
      () => undefined,
    );
  await expect.poll(() => statusOf('/readyz'), { timeout: minutes(3) }).toBe(200);
  for (const path of ['/nowhere', '/nowhere/else', '/readyz']) expect(await statusOf(path)).toBeDefined();
  expect(await statusOf('/readyz')).toBe(200);
  service.kill('SIGTERM');
  expect((await ended)[0]).toBe(0);
});
