import type { Module } from './modules.ts';

/** Cycles that remain, each through one import, as `from → to`; `*` is any module. Nobody adds to this list. */
export const remainingCycles: readonly string[] = [
  // Until the type `Service` has a file of its own.
  '* → src/server/foundation.ts',
];

/**
 * Modules that import each other in a cycle, imports of types included: none of them can be read, tested or moved
 * without the others. Names one cycle for each group of such modules, and every entry of `allowed` that breaks none.
 */
export function cycleProblems(modules: readonly Module[], allowed: readonly string[]): string[] {
  const importsOf = (without: readonly string[]): Graph =>
    new Map(
      modules.map(({ path, imports }) => [
        path,
        imports.flatMap(({ target }) => (target === undefined || isIn(without, path, target) ? [] : [target])),
      ]),
    );
  const cycles = cyclesIn(importsOf(allowed));
  const idle = allowed.filter((entry) => {
    const others = allowed.filter((other) => other !== entry);
    return cyclesIn(importsOf(others)).length === cycles.length;
  });
  return [
    ...cycles.map((cycle) => `cycle: ${cycle.join(' → ')}`),
    ...idle.map((entry) => `${entry} is in no cycle: delete it from remainingCycles in bin/imports/cycles.ts`),
  ];
}

type Graph = ReadonlyMap<string, readonly string[]>;

const isIn = (entries: readonly string[], from: string, to: string): boolean =>
  entries.includes(`${from} → ${to}`) || entries.includes(`* → ${to}`);

/** One cycle, as short as can be, for each group of modules that reach each other. */
function cyclesIn(graph: Graph): string[][] {
  const known = new Set<string>();
  const found: string[][] = [];
  for (const path of graph.keys()) {
    const cycle = known.has(path) ? undefined : wayBack(graph, path);
    if (!cycle) continue;
    found.push(cycle);
    const after = reached(graph, path);
    for (const other of after) if (reached(graph, other).has(path)) known.add(other);
  }
  return found;
}

/** The shortest cycle through a module. */
function wayBack(graph: Graph, start: string): string[] | undefined {
  const seen = new Set<string>();
  let trails = [[start]];
  while (trails.length > 0) {
    const next: string[][] = [];
    for (const trail of trails) {
      for (const target of graph.get(trail.at(-1) ?? '') ?? []) {
        if (target === start) return [...trail, start];
        if (seen.has(target)) continue;
        seen.add(target);
        next.push([...trail, target]);
      }
    }
    trails = next;
  }
  return undefined;
}

function reached(graph: Graph, start: string): Set<string> {
  const seen = new Set<string>();
  const waiting = [start];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const target of graph.get(path) ?? []) {
      if (seen.has(target)) continue;
      seen.add(target);
      waiting.push(target);
    }
  }
  return seen;
}
