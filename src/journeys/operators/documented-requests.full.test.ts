import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../testing/command-line.ts';
import { openTestServer } from '../../testing/test-server.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'management-api.md'), 'utf8');
const blocks = [...page.matchAll(/^```(?:sh|js)\n(.*?)^```$/gms)].map(([, block]) => block as string);

test('the commands and the program of the page about the management API work one after the other', async () => {
  const server = await openTestServer('sqlite');
  const { DATA_DIR } = server.config;
  const [commands = '', curl = '', node = ''] = blocks;
  const [add = ''] = commands.split('\n');
  const words = add.replace(/^vestibule | --from \S+/g, '').split(' ');
  const { out } = await runCommand([...words, '--json'], { folder: DATA_DIR, settings: { DATA_DIR } });
  const { key } = JSON.parse(out);
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-management-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const run = (program: string, ...words: string[]) =>
    new Promise<string>((resolve, reject) => {
      const options = { cwd: folder, env: { ...process.env, KEY: key } };
      execFile(program, words, options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
    });
  const here = (text: string) => text.replaceAll('https://account.example.com', server.url);
  const shown = await run('sh', '-ec', here(curl).replaceAll(/\n(?=curl|cat)/g, '\necho\n'));
  const [person, locked, found, log] = shown
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  expect(locked).toEqual({ ended: 0 });
  expect(found.items).toEqual([expect.objectContaining({ id: person.id, locked_at: expect.any(String) })]);
  expect(log).toMatchObject({ items: [{ action: 'accounts_found' }, { action: 'account_locked' }] });
  writeFileSync(join(folder, 'follow.mjs'), here(node));
  const lines = (await run(process.execPath, 'follow.mjs')).trim().split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['account_created', 'account_locked']);
});
