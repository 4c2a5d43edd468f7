import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const doc = readFileSync(join('docs', 'integrate.md'), 'utf8');
const inDoc = [...doc.matchAll(/^```\w+ (examples\/\S+)\n(.*?)^```/gms)].map(
  ([, name = '', text = '']) => [name, text] as const,
);

test.each(inDoc)('%s is the text in docs/integrate.md', (name, text) => {
  expect(readFileSync(name, 'utf8')).toBe(text);
});

test('docs/integrate.md contains every example', () => {
  expect(readdirSync('examples').map((name) => `examples/${name}`)).toEqual(inDoc.map(([name]) => name).toSorted());
});

test.each(inDoc)('docs/integrate.md installs each package that %s imports', (_name, text) => {
  const installed = [...doc.matchAll(/npm install ([\w @/-]+)/g)].flatMap(([, names = '']) => names.split(' '));
  const imported = [...text.matchAll(/ from '(?!node:)((?:@[^/]+\/)?[^/']+)/g)].map(([, name]) => name);
  expect(installed).toEqual(expect.arrayContaining(imported));
});
