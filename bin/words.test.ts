import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** British spellings, and private names that the code no longer uses. */
const forbidden = new RegExp(
  [
    String.raw`\b\w*(?:neighbour|colour|favour|behaviour|honour|labour|catalogue)\w*`,
    String.raw`\b\w*(?:internationali|organi|recogni|normali|seriali|initiali|summari|minimi|optimi|customi)s(?:e|ed|es|ing|ation)\b`,
    String.raw`\b(?:misspelt|towards|afterwards|whilst|amongst|grey|cancelled|cancelling|travelled)\b`,
    String.raw`\b(?:whoGoes|sayItIsNoNumber|restsFor|answersWithin|waitsFor|holdAndFind|\w+AtOnce|most(?!ly)[A-Z]\w+)\b`,
  ].join('|'),
  'g',
);

const read = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.(?:tsx?|mjs|css)$|en\.po$/.test(path) && !/node_modules|words\.test/.test(path));

test('the code uses American spelling, and no name that a plainer one has replaced', () => {
  const paths = ['bin', 'bench', 'build', 'drills', 'e2e', 'src'].flatMap(read);
  expect(paths.length).toBeGreaterThan(500);
  const found = paths.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(forbidden)].map(([word]) => `${path}: ${word}`),
  );
  expect(found).toEqual([]);
});
