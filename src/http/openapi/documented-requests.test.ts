import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { form } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'api.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block as string);

test('the commands of the page about the API work one after the other', async () => {
  const server = await openTestServer('sqlite', { PUBLIC_URL: 'http://localhost' });
  const password = 'correct horse battery staple';
  const ann = server.client();
  await ann.get('/auth/csrf');
  const registered = await ann.post(
    '/auth/register',
    form({ email: 'ann@example.com', password, password_repeat: password }),
  );
  expect(registered.status).toBe(201);
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-api-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (script: string) =>
    new Promise<string>((resolve, reject) => {
      execFile('sh', ['-ec', script], { cwd: folder }, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
  const shown = await run(blocks.join('echo\n').replaceAll('https://account.example.com', server.url));
  const responses = shown
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  expect(responses).toEqual([
    expect.objectContaining({ email: 'ann@example.com' }),
    expect.objectContaining({ format: 1 }),
    expect.objectContaining({ access_token: expect.any(String) }),
    expect.objectContaining({ records: [expect.objectContaining({ kind: expect.any(String) })] }),
  ]);
});
