import { mkdirSync, writeFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { join } from 'node:path';

/**
 * The modules of journeys in which a test file called a function. `npm test -- changed` requests it with `REACH`, a
 * folder, and skips a test if a change is in journeys that the test never calls.
 */
export interface Reach {
  /** The path of the test file. */
  readonly test: string;
  /** Paths of modules. */
  readonly called: readonly string[];
}

interface Recording {
  readonly session: Session;
  /** Every module seen so far. */
  readonly seen: Set<string>;
  /** Modules that ran code on load, which happens once for all test files of the process. */
  readonly onLoad: Set<string>;
}

// Test files share a process, and Vitest loads this module again for some of them.
const place: { vestibuleReach?: Recording } = globalThis as object;

const folder = process.env.REACH;

/** Begins a test file: resets the calls so far. */
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

/** Attributes all calls so far to loading. */
export function endLoading(): void {
  const recording = place.vestibuleReach;
  if (recording) for (const path of take(recording).called) recording.onLoad.add(path);
}

/** Ends a test file, and writes its calls to a file. */
export function endReach(test: string): void {
  const recording = place.vestibuleReach;
  if (!folder || !recording) return;
  const { called, fresh } = take(recording);
  // The test itself loaded the module, so its loading cannot be distinguished from its use.
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
