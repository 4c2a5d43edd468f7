import type { Module } from './modules.ts';

type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * Finds modules that import each other in a cycle, including imports of types: you cannot read, test or move one of them
 * without the others. Reports one cycle for each group of such modules.
 */
export function cycleProblems(modules: readonly Module[]): string[] {
  const graph: Graph = new Map(
    modules.map(({ path, imports }) => [path, imports.flatMap(({ target }) => target ?? [])]),
  );
  return cyclesIn(graph).map((cycle) => `cycle: ${cycle.join(' → ')}`);
}

/** The shortest cycle of each group of modules that import each other. */
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
