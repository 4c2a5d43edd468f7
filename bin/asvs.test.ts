import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const document = readFileSync('docs/asvs.md', 'utf8');

test('every test that the document mentions exists', () => {
  const named = document.match(/`(?:src|e2e|bin)\/[\w./-]+\.test\.tsx?`/g) ?? [];
  expect(named.length).toBeGreaterThan(150);
  expect(named.map((path) => path.slice(1, -1)).filter((path) => !existsSync(path))).toEqual([]);
});

test('every test and setting that the document names exists in the code', () => {
  const tests = [...document.matchAll(/`([\w./-]+\.test\.tsx?)` “([^”]+)”/g)];
  expect(tests.length).toBeGreaterThan(20);
  const unknown = tests.filter(([, path = '', name = '']) => !readFileSync(path, 'utf8').includes(`('${name}'`));
  expect(unknown.map(([text]) => text)).toEqual([]);
  const settings = document.match(/(?<=`)[A-Z][A-Z\d]*(?:_[A-Z\d]+)+(?=[`=])/g) ?? [];
  const known = readFileSync('.env.example', 'utf8');
  expect(settings.length).toBeGreaterThan(5);
  // The only variable of Node itself.
  expect(settings.filter((name) => !known.includes(`${name}=`))).toEqual(['NODE_EXTRA_CA_CERTS']);
});

test('each of the 253 requirements of levels 1 and 2 has exactly one line', () => {
  const requirements = document
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .flatMap((line) => line.match(/(?<=^\| |\| |, )\d+\.\d+\.\d+(?= \||,)/g) ?? []);
  expect(new Set(requirements).size).toBe(requirements.length);
  expect(requirements).toHaveLength(253);
});
