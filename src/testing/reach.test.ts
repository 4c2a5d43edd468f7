import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { Reach } from './reach.ts';

const folder = mkdtempSync(join(tmpdir(), 'vestibule-reach-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const journeys = join(folder, 'src', 'journeys');
const modules = {
  called: 'export function act() { return 1; }',
  alone: 'export function act() { return 1; }',
  loading: 'function act() { return 1; }\nexport const done = act();',
  later: 'function act() { return 1; }\nexport const done = act();',
};
/** Three test files in one process, begun and ended as `each-file.ts` does. */
const program = `
  const { beginReach, endLoading, endReach } = await import(${JSON.stringify(new URL('reach.ts', import.meta.url).href)});
  const load = (name) => import(new URL(name + '.js', ${JSON.stringify(pathToFileURL(`${journeys}/`).href)}).href);
  beginReach();
  const { act } = await load('called');
  await load('alone');
  await load('loading');
  endLoading();
  act();
  await load('later');
  endReach('first');
  beginReach();
  endLoading();
  act();
  endReach('second');
  beginReach();
  endLoading();
  endReach('third');
`;

test('names the modules that a test file called, and for every file of the process those that run code on load', () => {
  mkdirSync(journeys, { recursive: true });
  for (const [name, source] of Object.entries(modules))
    writeFileSync(join(journeys, `${name}.js`), `/* wrapper */ ${source}`);
  const { PATH, SystemRoot } = process.env;
  const env = { PATH, SystemRoot, REACH: join(folder, 'reach') };
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    env,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  const reached = readdirSync(env.REACH).map((name): Reach => JSON.parse(readFileSync(join(env.REACH, name), 'utf8')));
  const namesOf = (test: string) =>
    reached
      .find((reach) => reach.test === test)
      ?.called.map((url) => /(\w+)\.js$/.exec(url)?.[1])
      .toSorted();
  expect(namesOf('first')).toEqual(['called', 'later', 'loading']);
  expect(namesOf('second')).toEqual(['called', 'later', 'loading']);
  expect(namesOf('third')).toEqual(['later', 'loading']);
});
