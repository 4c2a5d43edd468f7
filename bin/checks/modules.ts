import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { parseSync } from 'vite';

/** One import (or re-export) of a module. */
export interface Import {
  /** The specifier as written. */
  readonly specifier: string;
  /** The path of our own file, relative to the project's folder; undefined for a package or a built-in module. */
  readonly target: string | undefined;
  /** `import type`, which does not exist at run time. */
  readonly typeOnly: boolean;
}

export interface Module {
  /** Relative to the project's folder, with `/` on every system. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** Contains only re-exports of other modules. */
  readonly barrel: boolean;
}

const isModule = (name: string) => /\.(tsx?|js)$/.test(name) && !name.endsWith('.d.ts');

/** Reads all modules below a folder of the project. */
export function readModules(root: string, folder: string): Module[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isModule(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !path.includes('/node_modules/'))
    .sort()
    .map((path) => readModule(path, readFileSync(join(root, path), 'utf8')));
}

/** Reads the imports of one module. Throws if it cannot be parsed, because it would then go unchecked. */
export function readModule(path: string, source: string): Module {
  const { module, program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const statements = [
    ...module.staticImports.map(({ start, moduleRequest }) => ({ start, specifier: moduleRequest.value })),
    ...module.staticExports.flatMap(({ start, entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest ? [{ start, specifier: moduleRequest.value }] : [])),
    ),
  ].map(({ start, specifier }) => ({ ...named(path, specifier), typeOnly: isTypeOnly(source.slice(start)) }));
  const dynamic = module.dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^(['"`])([^$]*)\1$/.exec(source.slice(start, end));
    return literal ? [{ ...named(path, literal[2] as string), typeOnly: false }] : [];
  });
  // The parser's list of imports omits `import('…').Type` in types.
  const inTypes = [...source.matchAll(/\bimport\(['"]([^'"]+)['"]\)\./g)].map(([, specifier = '']) => ({
    ...named(path, specifier),
    typeOnly: true,
  }));
  return { path, imports: [...statements, ...dynamic, ...inTypes], barrel: isBarrel(program.body) };
}

const isTypeOnly = (statement: string): boolean => /^(import|export)\s+type\b/.test(statement);

const named = (path: string, specifier: string) => ({
  specifier,
  // Vite reads a query, such as `?worker&url`.
  target: /^\.\.?\//.test(specifier) ? posix.join(posix.dirname(path), specifier.replace(/\?.*$/, '')) : undefined,
});

const isBarrel = (statements: readonly { type: string; source?: unknown }[]): boolean =>
  statements.length > 0 &&
  statements.every(({ type, source }) => /^Export(Named|All)Declaration$/.test(type) && source);

/**
 * Finds modules that import each other in a cycle, including imports of types: you cannot read, test or move one of them
 * without the others. Of cycles that share a module, reports one.
 */
export function cycleProblems(modules: readonly Module[]): string[] {
  const graph = new Map(modules.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]));
  const known = new Set<string>();
  const problems: string[] = [];
  for (const path of graph.keys()) {
    const cycle = shortestCycle(graph, path);
    if (!cycle || cycle.some((one) => known.has(one))) continue;
    for (const one of cycle) known.add(one);
    problems.push(`cycle: ${cycle.join(' → ')}`);
  }
  return problems;
}

/** The shortest cycle through a module. */
function shortestCycle(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | undefined {
  const seen = new Set<string>();
  const trails = [[start]];
  // The loop also visits the trails that it adds, in the order of their length.
  for (const trail of trails)
    for (const target of graph.get(trail.at(-1) ?? '') ?? []) {
      if (target === start) return [...trail, start];
      if (!seen.has(target)) trails.push([...trail, target]);
      seen.add(target);
    }
  return undefined;
}
