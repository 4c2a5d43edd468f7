import { expect, test } from 'vitest';
import { freshDatabase } from '../testing/databases/databases.ts';
import { startProcess } from '../testing/process.ts';

test('PORT=0 chooses a free port, which the greeting names', async () => {
  const service = await startProcess(await freshDatabase('sqlite'), { PORT: '0', PUBLIC_URL: '' });
  const url = /is ready: (http:\/\/localhost:[1-9]\d*)\//.exec(service.output())?.[1];
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
