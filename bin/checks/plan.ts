import { alsoReads, concernsEverything } from './declared.ts';
import { digestOfPaths, type Moment, pathsOfTest, untouched } from './inputs.ts';
import { eachFile, type Project, projectOf, setups } from './projects.ts';
import { digestOf } from './tree.ts';

/** A step of `npm test`, or a test file. */
export interface Check {
  readonly name: string;
  /** What a step reads; undefined for everything. */
  readonly reads?: RegExp | undefined;
  /** Modules that a test file begins with, itself first. */
  readonly roots?: readonly string[] | undefined;
}

/** The test files, each with what Vitest runs before it. */
export const testChecks = ({ tree }: Moment): (Check & { readonly project: Project })[] =>
  [...tree.keys()].flatMap((path) => {
    const project = projectOf(path);
    return project ? [{ name: path, project, roots: [path, eachFile, ...setups[project]] }] : [];
  });

/** The checks that passed with exactly these files. */
export interface Greens {
  has(key: string): boolean;
  add(key: string): void;
}

export interface Planned {
  readonly check: Check;
  readonly key: string;
  readonly paths: readonly string[];
}

/** What a check sees at this moment, under a name that changes with it. */
export function plan(moment: Moment, check: Check): Planned {
  const paths = [...pathsOf(moment, check)].sort();
  return { check, paths, key: digestOf(`${check.name}\0${digestOfPaths(moment, paths)}`) };
}

function pathsOf(moment: Moment, { reads, roots }: Check): Iterable<string> {
  const all = [...moment.tree.keys(), ...moment.products.keys()];
  if (reads) return all.filter((path) => reads.test(path));
  return (roots && pathsOfTest(moment, roots)) ?? all;
}

/** The checks that a change since their last green run may affect. */
export const due = (moment: Moment, { checks, greens }: { checks: readonly Check[]; greens: Greens }): Planned[] =>
  checks.map((check) => plan(moment, check)).filter(({ key }) => !greens.has(key));

/**
 * Keeps as green what passed, unless a file that it sees was touched since the run began: nobody knows whether the
 * run read it before or after.
 */
export function keep(
  [before, after]: readonly [Moment, Moment],
  { passed, greens }: { passed: readonly Planned[]; greens: Greens },
): void {
  const always = [...before.tree.keys(), ...after.tree.keys()].filter((path) => concernsEverything.test(path));
  if (!untouched([before, after], always)) return;
  for (const { check, key, paths } of passed) {
    const now = plan(after, check);
    if (now.key === key && untouched([before, after], paths)) greens.add(key);
  }
}

/** Declared modules that are no more: a promise about nothing. */
export const staleDeclarations = ({ tree }: Moment): string[] =>
  Object.keys(alsoReads).filter((path) => !tree.has(path));
