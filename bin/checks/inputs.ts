import { alsoReads, concernsEverything, reachesOnly } from './declared.ts';
import type { Reads } from './graph.ts';
import { digestOf, type Tree } from './tree.ts';

/** The sources, the products of the build, and what each module needs, all of one moment. */
export interface Moment {
  readonly tree: Tree;
  readonly products: Tree;
  readsOf(path: string): Reads;
  /** Digest of the shell's settings, Node and the machine. */
  readonly surroundings: string;
}

/** Every path that a test file can see; undefined for one that may see all of them. */
export function pathsOfTest(moment: Moment, roots: readonly string[]): ReadonlySet<string> | undefined {
  const [test = ''] = roots;
  const only = reachesOnly[test];
  if (only) {
    const products = [...moment.products.keys()].filter((path) => path !== 'dist/server');
    return new Set([...[...moment.tree.keys()].filter((path) => only.test(path)), ...products]);
  }
  const found = new Set<string>();
  const waiting = [...roots];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const { imports, opaque } = moment.readsOf(path);
    const declared = alsoReads[path];
    if (opaque && !declared) return undefined;
    for (const read of declared ?? []) {
      if (read.endsWith('/')) for (const inside of below(moment.tree, read)) found.add(inside);
      else waiting.push(read);
    }
    waiting.push(...imports);
  }
  return found;
}

const below = (tree: Tree, folder: string): readonly string[] =>
  [...tree.keys()].filter((path) => path.startsWith(folder) && !isTest(path));

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** Names what was seen: equal for two moments in which all of these files, and what concerns everything, are the same. */
export function digestOfPaths(moment: Moment, paths: Iterable<string>): string {
  const seen = new Set([...paths, ...[...moment.tree.keys()].filter((path) => concernsEverything.test(path))]);
  const lines = [...seen].sort().map((path) => `${path}\0${leafOf(moment, path)?.digest ?? 'missing'}`);
  return digestOf([moment.surroundings, ...lines].join('\n'));
}

/** As `digestOfPaths`, for a check that may see everything. */
export const digestOfAll = (moment: Moment): string =>
  digestOfPaths(moment, [...moment.tree.keys(), ...moment.products.keys()]);

/** Whether none of these files was touched between two moments, not even changed and changed back. */
export function untouched([before, after]: readonly [Moment, Moment], paths: Iterable<string>): boolean {
  return [...paths].every((path) => {
    const [one, other] = [leafOf(before, path), leafOf(after, path)];
    return one?.digest === other?.digest && one?.changed === other?.changed;
  });
}

const leafOf = ({ tree, products }: Moment, path: string) => tree.get(path) ?? products.get(path);
