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

/** What a check sees. */
export interface Sight {
  readonly paths: ReadonlySet<string>;
  /** Those of which it sees only the shell, unless it calls one of their functions. */
  readonly loaded: ReadonlySet<string>;
}

/** Every path that a test file can see; undefined for one that may see all of them. */
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

/** Names what was seen: equal for two moments in which all of it, and what concerns everything, is the same. */
export function digestOfSight(moment: Moment, { paths, loaded }: Sight): string {
  const seen = new Set([...paths, ...[...moment.tree.keys()].filter((path) => concernsEverything.test(path))]);
  const lines = [...seen].sort().map((path) => {
    const digest = loaded.has(path) ? moment.readsOf(path).shell : digestOfPath(moment, path);
    return `${path}\0${digest ?? 'missing'}`;
  });
  return digestOf([moment.surroundings, ...lines].join('\n'));
}

/** Of a file's content; undefined where there is none. */
export const digestOfPath = (moment: Moment, path: string): string | undefined => leafOf(moment, path)?.digest;

/** Whether none of these files was touched between two moments, not even changed and changed back. */
export function untouched([before, after]: readonly [Moment, Moment], paths: Iterable<string>): boolean {
  return [...paths].every((path) => {
    const [one, other] = [leafOf(before, path), leafOf(after, path)];
    return one?.digest === other?.digest && one?.changed === other?.changed;
  });
}

const leafOf = ({ tree, products }: Moment, path: string) => tree.get(path) ?? products.get(path);
