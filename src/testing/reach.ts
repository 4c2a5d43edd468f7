import { mkdirSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';

/**
 * Which modules of journeys had a function called while a test file ran. `npm test` asks for it by `REACH`, a folder, and
 * concludes which changes of a journey cannot affect a test that calls nothing of it.
 */
export interface Reach {
  /** The path of the test file. */
  readonly test: string;
  /** Paths of modules. */
  readonly called: readonly string[];
}

interface Recording {
  readonly session: Session;
  /** Every module that was seen at all. */
  readonly seen: Set<string>;
  /** Called while modules were loaded, once for all test files of the process. */
  readonly onLoad: Set<string>;
}

// Test files share a process, and Vitest loads this module anew for some of them.
const place: { vestibuleReach?: Recording } = globalThis as object;

const folder = process.env.REACH;

/** Begins a test file: forgets what was called before. */
export function beginReach(): void {
  if (!folder) return;
  if (!place.vestibuleReach) {
    const session = new Session();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    place.vestibuleReach = { session, seen: new Set(), onLoad: new Set() };
  }
  take(place.vestibuleReach);
}

/** Everything until here was loading. */
export function endLoading(): void {
  const recording = place.vestibuleReach;
  if (recording) for (const path of take(recording).called) recording.onLoad.add(path);
}

/** Ends a test file, and writes down what it has called. */
export function endReach(test: string): void {
  const recording = place.vestibuleReach;
  if (!folder || !recording) return;
  const { called, fresh } = take(recording);
  // Loaded by a test itself, so that nobody can tell its loading from its use.
  for (const path of called) if (fresh.has(path)) recording.onLoad.add(path);
  const reach: Reach = { test, called: [...new Set([...called, ...recording.onLoad])] };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${process.pid}-${performance.now()}.json`), JSON.stringify(reach));
}

/** Vitest wraps each module in a function that begins before its first character. */
const wrapperEnds = 14;

function take({ session, seen }: Recording): { called: string[]; fresh: Set<string> } {
  let scripts: readonly Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (_error, found) => {
    scripts = found?.result ?? [];
  });
  const ofJourneys = scripts.filter(({ url }) => url.includes('/src/journeys/'));
  const fresh = new Set(ofJourneys.map(({ url }) => url).filter((url) => !seen.has(url)));
  for (const url of fresh) seen.add(url);
  const called = ofJourneys.filter(({ functions }) =>
    functions.some(({ ranges: [range] }) => range && range.startOffset >= wrapperEnds && range.count > 0),
  );
  return { called: called.map(({ url }) => url), fresh };
}
