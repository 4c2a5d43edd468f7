import { alsoReads, concernsEverything, reachesOnly } from './declared.ts';
import type { Reads } from './graph.ts';
import { digestOf, type Tree } from './tree.ts';

/** A snapshot of the sources, the build's products and the dependencies of each module. */
export interface Moment {
  readonly tree: Tree;
  readonly products: Tree;
  readsOf(path: string): Reads;
  /** Digest of the environment variables, Node and the machine. */
  readonly surroundings: string;
}

/** The inputs of a check. */
export interface Sight {
  readonly paths: ReadonlySet<string>;
  /** Modules of which only the load-time code matters, unless the check calls one of their functions. */
  readonly loaded: ReadonlySet<string>;
}

/** All inputs of a test file; undefined if it may read everything. */
export function sightOfTest(moment: Moment, roots: readonly string[]): Sight | undefined {
  const [test = ''] = roots;
  const only = reachesOnly[test];
  if (only) {
    const products = [...moment.products.keys()].filter((path) => path !== 'dist/server');
    const paths = [...[...moment.tree.keys()].filter((path) => only.test(path)), ...products];
    return { paths: new Set(paths), loaded: new Set() };
  }
  const [found, read] = [new Set<string>(), new Set<string>()];
  const waiting = [...roots];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    const { imports, opaque } = moment.readsOf(path);
    const declared = alsoReads[path];
    if (opaque && !declared) return undefined;
    for (const one of declared ?? []) {
      if (one.endsWith('/')) for (const inside of below(moment.tree, one)) read.add(inside);
      else waiting.push(one);
    }
    waiting.push(...imports);
  }
  const loaded = [...found].filter((path) => !read.has(path) && moment.readsOf(path).shell !== undefined);
  return { paths: new Set([...found, ...read]), loaded: new Set(loaded) };
}

const below = (tree: Tree, folder: string): readonly string[] =>
  [...tree.keys()].filter((path) => path.startsWith(folder) && !isTest(path));

const isTest = (path: string): boolean => /\.test\.tsx?$/.test(path);

/** A digest of the inputs, and of the files that affect every check. */
export function digestOfSight(moment: Moment, { paths, loaded }: Sight): string {
  const seen = new Set([...paths, ...[...moment.tree.keys()].filter((path) => concernsEverything.test(path))]);
  const lines = [...seen].sort().map((path) => {
    const digest = loaded.has(path) ? moment.readsOf(path).shell : digestOfPath(moment, path);
    return `${path}\0${digest ?? 'missing'}`;
  });
  return digestOf([moment.surroundings, ...lines].join('\n'));
}

/** The digest of a file's content; undefined if it does not exist. */
export const digestOfPath = (moment: Moment, path: string): string | undefined => leafOf(moment, path)?.digest;

/** Whether these files stayed untouched between two snapshots; detects a change that was reverted. */
export function untouched([before, after]: readonly [Moment, Moment], paths: Iterable<string>): boolean {
  return [...paths].every((path) => {
    const [one, other] = [leafOf(before, path), leafOf(after, path)];
    return one?.digest === other?.digest && one?.changed === other?.changed;
  });
}

const leafOf = ({ tree, products }: Moment, path: string) => tree.get(path) ?? products.get(path);
