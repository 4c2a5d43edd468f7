import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const agent = join(import.meta.dirname, '..', '..', '..', 'dist', 'agent', 'vestibule-agent.mjs');

test('the agent that the service serves enrols with a code, and its computer is in the list', async () => {
  const server = await openTestServer('sqlite');
  const served = await server.client().get('/computers/agent.mjs');
  expect(served.body).toContain('install CODE --server URL');
  const { browser } = await register(server);
  const { code } = (await browser.post('/computers/enrolments')).body;
  const { dataDir } = await freshDatabase('sqlite');
  const words = ['enrol', code, '--server', server.url, '--name', 'Büro', '--data', dataDir];
  const { stdout } = await promisify(execFile)(process.execPath, [agent, ...words]);
  expect(stdout).toContain('Büro');
  expect((await browser.get('/computers')).body.computers).toMatchObject([{ name: 'Büro' }]);
});
