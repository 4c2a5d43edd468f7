import { alsoReads, concernsEverything } from './declared.ts';
import { digestOfPath, digestOfSight, type Moment, type Sight, sightOfTest, untouched } from './inputs.ts';
import { eachFile, type Project, projectOf, setups } from './projects.ts';
import { digestOf } from './tree.ts';

/** A step of `npm test`, or a test file. */
export interface Check {
  readonly name: string;
  /** The inputs of a step; undefined for everything. */
  readonly reads?: RegExp | undefined;
  /** The entry modules of a test: the test file itself, then its setup. */
  readonly roots?: readonly string[] | undefined;
}

/** The test files, each with its setup modules. */
export const testChecks = ({ tree }: Moment): (Check & { readonly project: Project })[] =>
  [...tree.keys()].flatMap((path) => {
    const project = projectOf(path);
    return project ? [{ name: path, project, roots: [path, eachFile, ...setups[project]] }] : [];
  });

/** Digests of the modules that a check has called, by path. */
export type Called = Readonly<Record<string, string>>;

/** The checks that passed with exactly these files. */
export interface Greens {
  /** The modules that each green run with this key called. */
  of(key: string): readonly Called[];
  add(key: string, called: Called): void;
}

export interface Planned {
  readonly check: Check;
  readonly key: string;
  readonly sight: Sight;
}

/** The current inputs of a check, with a key that changes with them. */
export function plan(moment: Moment, check: Check): Planned {
  const sight = sightOf(moment, check);
  return { check, sight, key: digestOf(`${check.name}\0${digestOfSight(moment, sight)}`) };
}

function sightOf(moment: Moment, { reads, roots }: Check): Sight {
  const all = [...moment.tree.keys(), ...moment.products.keys()];
  const whole = (paths: readonly string[]) => ({ paths: new Set(paths), loaded: new Set<string>() });
  if (reads) return whole(all.filter((path) => reads.test(path)));
  return (roots && sightOfTest(moment, roots)) ?? whole(all);
}

/** The checks that a change since their last green run may affect. */
export const due = (moment: Moment, { checks, greens }: { checks: readonly Check[]; greens: Greens }): Planned[] =>
  checks
    .map((check) => plan(moment, check))
    .filter(({ key }) => !greens.of(key).some((called) => isAsCalled(moment, called)));

const isAsCalled = (moment: Moment, called: Called): boolean =>
  Object.entries(called).every(([path, digest]) => digestOfPath(moment, path) === digest);

interface Run {
  readonly passed: readonly Planned[];
  /** For each test file, the modules whose functions it called. If a test file is missing, all its modules count. */
  readonly called?: ReadonlyMap<string, readonly string[]>;
  readonly greens: Greens;
}

/**
 * Stores the passed checks as green, unless an input was touched since the run started: the run may have read it before
 * or after the change.
 */
export function keep([before, after]: readonly [Moment, Moment], { passed, called, greens }: Run): void {
  const always = [...before.tree.keys(), ...after.tree.keys()].filter((path) => concernsEverything.test(path));
  if (!untouched([before, after], always)) return;
  for (const { check, key, sight } of passed) {
    if (plan(after, check).key !== key || !untouched([before, after], sight.paths)) continue;
    const some = called?.get(check.name);
    const paths = [...sight.loaded].filter((path) => !some || some.includes(path));
    greens.add(key, Object.fromEntries(paths.map((path) => [path, digestOfPath(before, path) ?? 'missing'])));
  }
}

/** Declarations for modules that no longer exist. */
export const staleDeclarations = ({ tree }: Moment): string[] =>
  Object.keys(alsoReads).filter((path) => !tree.has(path));
