import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reach } from '../../src/testing/reach.ts';
import { inProject, root } from '../steps/places.mjs';
import { run } from '../steps/run.mjs';
import { openScratch } from '../steps/scratch.mjs';
import type { Planned } from './plan.ts';
import type { TestReport } from './reporter.ts';

interface TestRun {
  /** All files of the projects if the list is empty. */
  readonly files: readonly Planned[];
  readonly projects: readonly string[];
  /** Records which modules each test file calls. V8 then optimizes no code, so the tests take half as long again. */
  readonly recordsCalls: boolean;
}

/** Runs test files. */
export async function runTests({ files, projects, recordsCalls }: TestRun) {
  const folder = openScratch();
  const file = join(folder, 'report.json');
  const reach = join(folder, 'reach');
  const beat = heartbeat();
  const ended = await run(
    [
      ...[inProject('node_modules', 'vitest', 'vitest.mjs'), 'run', ...files.map(({ check }) => check.name)],
      ...projects.flatMap((project) => ['--project', project]),
      ...['--reporter=default', `--reporter=${inProject('bin', 'checks', 'reporter.ts')}`],
    ],
    { env: { TMPDIR: folder, TEST_REPORT: file, ...(recordsCalls && { REACH: reach }) }, tell: beat.tell },
  );
  beat.end();
  return { ended, report: readReport(file), called: readReach(reach) };
}

/** The modules that each test file called, as paths in the project. */
function readReach(folder: string): Map<string, readonly string[]> {
  const pathOf = (file: string) =>
    relative(root, file.startsWith('file:') ? fileURLToPath(file) : file).replaceAll('\\', '/');
  const called = new Map<string, readonly string[]>();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const reach: Reach = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    called.set(pathOf(reach.test), reach.called.map(pathOf));
  }
  return called;
}

/** Prints Vitest's line for each test file, and the elapsed time if there was no line for a while. */
function heartbeat() {
  const begun = performance.now();
  let last = begun;
  const timer = setInterval(() => {
    if (performance.now() - last < 20_000) return;
    last = performance.now();
    console.log(`        still testing, for ${Math.round((last - begun) / 1000)} s`);
  }, 1000);
  return {
    tell(line: string) {
      if (line.trim() === '') return;
      last = performance.now();
      console.log(line);
    },
    end: () => clearInterval(timer),
  };
}

/** Reads the report; a run that ended early has none. */
function readReport(file: string): TestReport {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 0, green: [] };
  }
}
