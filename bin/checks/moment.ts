import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { arch, platform, release } from 'node:os';
import { join } from 'node:path';
import { inProject, root } from '../steps/places.mjs';
import { environment } from './declared.ts';
import { type Reads, readsOf } from './graph.ts';
import type { Moment } from './inputs.ts';
import type { Called, Greens } from './plan.ts';
import { digestOf, readProducts, readTree } from './tree.ts';

/** Cache by content digest: most modules do not change during a run. */
const known = new Map<string, Reads>();

/** Takes a snapshot of the project. */
export function readMoment(folder: string = root): Moment {
  const [tree, products] = [readTree(folder), readProducts(folder)];
  return {
    tree,
    products,
    readsOf(path) {
      const leaf = tree.get(path);
      if (!leaf) return { imports: [], opaque: false };
      const key = `${path}\0${leaf.digest}`;
      const reads = known.get(key) ?? readsOf(path, readFileSync(join(folder, path), 'utf8'));
      known.set(key, reads);
      return reads;
    },
    surroundings: digestOf(
      [
        ...[process.version, platform(), release(), arch()],
        ...environment.map((name) => `${name}=${process.env[name] ?? ''}`),
        digestOf(readInstalled(folder)),
      ].join('\n'),
    ),
  };
}

function readInstalled(folder: string): string {
  const file = join(folder, 'node_modules', '.package-lock.json');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

const month = 30 * 24 * 60 * 60 * 1000;

/**
 * Stores one file for each green run of a check, named by the digest of its inputs, so that parallel runs never
 * conflict. Deletes files that are older than a month.
 */
export function openGreens(folder: string = inProject('node_modules', '.cache', 'green')): Greens {
  mkdirSync(folder, { recursive: true });
  const known = new Map<string, Called[]>();
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const [, key] = /^(\w+)-\w+\.json$/.exec(name) ?? [];
    if (Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > month) rmSync(file, { force: true });
    else if (key) known.set(key, [...(known.get(key) ?? []), JSON.parse(readFileSync(file, 'utf8'))]);
  }
  return {
    of: (key) => known.get(key) ?? [],
    add(key, called) {
      const content = JSON.stringify(called);
      const file = join(folder, `${key}-${digestOf(content)}.json`);
      // Atomic, because another run may read it meanwhile.
      writeFileSync(`${file}.${process.pid}`, content);
      renameSync(`${file}.${process.pid}`, file);
    },
  };
}
