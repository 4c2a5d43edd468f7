import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const folders = ['bin', 'bench', 'build', 'docs', 'drills', 'e2e', 'src'];
const rooms = readdirSync('src').filter((name) => statSync(join('src', name)).isDirectory());

const read = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => /\.(?:tsx?|mjs|css|md)$/.test(path) && !/\.test\.|node_modules/.test(path));

/** A path in backticks that starts at the project's folder or at a folder of `src`. */
const mention = new RegExp(`\`((?:${[...folders, ...rooms].join('|')})/[\\w./-]+\\.(?:tsx?|mjs|css|md))\``, 'g');

test('every file that a comment or document mentions exists', () => {
  const files = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...folders.flatMap(read)];
  const mentions = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(mention)].map(([, named = '']) => ({ file, named })),
  );
  const places = ({ file, named }: { file: string; named: string }) => [
    named,
    join('src', named),
    join(dirname(file), named),
  ];
  expect(mentions.length).toBeGreaterThan(150);
  expect(mentions.filter((one) => !places(one).some((path) => existsSync(path)))).toEqual([]);
});

test('every file that code, the map or a recipe mentions by its name alone exists', () => {
  const all = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const code = folders.flatMap(read).filter((path) => !path.endsWith('.md'));
  const mentioned = ['docs/house.md', 'docs/development.md', ...code].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/`([\w./-]+\.(?:tsx?|mjs|css))`/g)].map(([, name = '']) => ({
      file,
      name,
    })),
  );
  expect(mentioned.length).toBeGreaterThan(200);
  expect(mentioned.filter(({ name }) => !all.some((path) => `/${path}`.endsWith(`/${name}`)))).toEqual([]);
});
