import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runTests } from './checks/tests.ts';
import { inProject } from './steps/places.mjs';

/** Runs Vitest on these test files; stops it with a reason once its output contains every one of the words. */
function runFiles(files: Readonly<Record<string, string>>, until: { words: readonly string[]; reason: string }) {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
  const stopping = new AbortController();
  const missing = new Set(until.words);
  return runTests({
    args: [`--root=${folder}`, '--globals', '--pool=threads', '--maxWorkers=2'],
    tier: 'fast',
    stop: stopping.signal,
    print(line) {
      for (const word of missing) if (line.includes(word)) missing.delete(word);
      if (missing.size === 0) stopping.abort(until.reason);
    },
  });
}

test('a run that is cut off names each failed test, the files that had not finished, and the reason', async () => {
  const files = {
    'passes.test.js': "test('one', () => {}); test('two', () => {});",
    'fails.test.js': `
      describe('a sum', () => { test('is right', () => expect(1 + 1).toBe(3)); });
      describe('a hook', () => { beforeAll(() => { throw new Error('no database'); }); test('runs', () => {}); });`,
    'broken.test.js': "throw new Error('cannot be loaded\\nsecond line');",
    'hangs.test.js': "test('for ever', () => { console.log('hanging now'); return new Promise(() => {}); });",
  };
  const words = ['hanging now', 'passes.test.js', 'fails.test.js', 'broken.test.js'];
  const { passed, counts, problems } = await runFiles(files, { words, reason: 'time limit of 60 minutes' });
  expect({ passed, counts }).toEqual({ passed: false, counts: { passed: 2, failed: 4 } });
  expect(problems.slice(0, -1).sort()).toEqual([
    'broken.test.js\n    cannot be loaded',
    'fails.test.js > a hook\n    no database',
    'fails.test.js > a sum > is right\n    expected 2 to be 3 // Object.is equality',
  ]);
  expect(problems.at(-1)).toBe(
    'The tests were cut off: time limit of 60 minutes. 1 test file had not finished: hangs.test.js.',
  );
});

test('a crash of Vitest is a failure that names the files of that moment', async () => {
  const files = { 'crashes.test.js': "test('one', () => { process.kill(process.pid, 'SIGKILL'); });" };
  const { counts, problems } = await runFiles(files, { words: ['never printed'], reason: '' });
  expect(counts).toEqual({ passed: 0, failed: 1 });
  expect(problems).toEqual([
    'The tests were cut off: ended by SIGKILL. 1 test file had not finished: crashes.test.js.',
  ]);
});

test('npm test runs the named checks, and refuses a word that no check has in its name', () => {
  const check = (word: string) =>
    spawnSync(process.execPath, [inProject('bin', 'check.ts'), word], { encoding: 'utf8' });
  const { status, stdout } = check('styles');
  expect(stdout).toMatch(/^ok {6}styles .*\n\n1 passed, 0 failed\n$/s);
  expect(status).toBe(0);
  const refused = check('nonsense');
  expect(refused.stdout).toContain('No check has nonsense in its name; choose from unit, store, http, browser, types');
  expect(refused.status).toBe(1);
});

test.each([
  ['fast', ['**/*.full.test.{ts,tsx}'], ['!full']],
  ['full', [], undefined],
  [undefined, [], undefined],
])('with TIER=%s, every project leaves out %j, and tests of the tags %j', async (tier, leftOut, tagsFilter) => {
  vi.stubEnv('TIER', tier);
  vi.resetModules();
  onTestFinished(() => void vi.unstubAllEnvs());
  const { default: config } = await import('../vitest.config.ts');
  for (const { test } of config.test.projects)
    expect(test.exclude.filter((pattern) => pattern.includes('full'))).toEqual(leftOut);
  expect(config.test).toHaveProperty('tags', [{ name: 'full' }]);
  expect(Object(config.test).tagsFilter).toEqual(tagsFilter);
});
