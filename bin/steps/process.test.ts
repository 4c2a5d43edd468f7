import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../../src/contract/units.ts';
import { isRunning } from './process.mjs';

// On Windows, only this shows that a parent has ended.
test('a process is running until it has ended', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(child, 'exit');
  const { pid = 0 } = child;
  expect([isRunning(pid), isRunning(process.pid)]).toEqual([true, true]);
  child.stdin.end();
  await ended;
  expect(isRunning(pid)).toBe(false);
});

/** Finishes its work two seconds after SIGTERM; a second signal ends it before. */
const worker = `
  const { writeFileSync } = require('node:fs');
  const [begun, finished] = process.argv.slice(1);
  process.once('SIGTERM', () => setTimeout(() => { writeFileSync(finished, ''); process.exit(); }, 2000));
  writeFileSync(begun, '');
  setTimeout(() => process.exit(), 60_000);`;
const launcher = `
  import { runToEnd } from '${join(import.meta.dirname, 'process.mjs')}';
  await runToEnd(process.execPath, process.argv.slice(1), { stdio: 'ignore', untilParentEnds: true });`;
const parent = `
  require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'ignore' });
  setInterval(() => undefined, 60_000);`;

test.skipIf(process.platform === 'win32')('a program whose parent ends can finish its work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-parent-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [begun, finished] = [join(folder, 'begun'), join(folder, 'finished')];
  const launch = ['--input-type=module', '-e', launcher, '--', '-e', worker, begun, finished];
  const child = spawn(process.execPath, ['-e', parent, '--', ...launch], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const within = { timeout: minutes(1) };
  await expect.poll(() => existsSync(begun), within).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => existsSync(finished), within).toBe(true);
});
