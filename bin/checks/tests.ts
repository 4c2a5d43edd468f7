import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '../steps/places.mjs';
import type { Line } from './reporter.ts';
import { type Ended, run } from './run.ts';

interface TestRun {
  /** Arguments of Vitest. */
  readonly args: readonly string[];
  /** `fast` leaves out the files named `*.full.test.ts`, and tests with the tag `full`. */
  readonly tier: 'fast' | 'full';
  /** Stops the tests when aborted; its reason is a phrase such as `interrupted`. */
  readonly stop: AbortSignal;
  readonly print: (line: string) => void;
}

/** What `npm test` says of the tests at its end. */
export interface Tested extends Ended {
  readonly counts: { readonly passed: number; readonly failed: number };
  /** A paragraph for each failed test, and one if the run did not come to its end. */
  readonly problems: readonly string[];
}

/** Runs Vitest. Its reporter writes the results as they come, so that a run that ends early also has some. */
export async function runTests({ args, tier, stop, print }: TestRun): Promise<Tested> {
  const folder = openScratch();
  const record = join(folder, 'record');
  const beat = heartbeat(print);
  let running: Results | undefined;
  const remember = () => {
    running = readResults(record);
  };
  // Vitest may report files as ended when it is stopped.
  stop.addEventListener('abort', remember, { once: true });
  const ended = await run(
    [
      ...[inProject('node_modules', 'vitest', 'vitest.mjs'), 'run', ...args],
      // In this order, so that the record has what is printed.
      ...[`--reporter=${inProject('bin', 'checks', 'reporter.ts')}`, '--reporter=default'],
    ],
    {
      env: { TMPDIR: folder, TEST_RECORD: record, TIER: tier, ...(tier === 'full' && { ENGINES: 'sqlite,postgres' }) },
      stop,
      print: beat.print,
    },
  );
  beat.end();
  stop.removeEventListener('abort', remember);
  return { ...ended, ...judge(running ?? readResults(record), ended) };
}

interface Results {
  readonly passed: number;
  readonly failures: readonly { readonly failed: string; readonly error: string }[];
  readonly unfinished: readonly string[];
  /** The number of test files that had not begun. */
  readonly waiting: number;
  readonly isOver: boolean;
}

function readResults(record: string): Results {
  const lines = existsSync(record) ? readFileSync(record, 'utf8').split('\n') : [];
  const unfinished = new Set<string>();
  const failures: Results['failures'][number][] = [];
  let [passed, waiting, isOver] = [0, 0, false];
  // The last piece is empty, or a line that is being written.
  for (const text of lines.slice(0, -1)) {
    const line: Line = JSON.parse(text);
    if ('files' in line) waiting = line.files;
    else if ('failed' in line) failures.push(line);
    else if ('over' in line) isOver = true;
    else if ('began' in line) {
      waiting -= 1;
      unfinished.add(line.began);
    } else {
      passed += line.passed;
      unfinished.delete(line.ended);
    }
  }
  return { passed, failures, unfinished: [...unfinished], waiting, isOver };
}

function judge({ passed, failures, unfinished, waiting, isOver }: Results, ended: Ended): Omit<Tested, keyof Ended> {
  const problems = failures.map(({ failed, error }) => `${failed}\n    ${error}`);
  const isCutOff = !isOver || (!ended.passed && failures.length === 0);
  if (isCutOff) problems.push(cutOff(unfinished, { waiting, reason: ended.reason ?? 'Vitest ended early' }));
  return { problems, counts: { passed, failed: failures.length + (isCutOff ? Math.max(unfinished.length, 1) : 0) } };
}

function cutOff(unfinished: readonly string[], { waiting, reason }: { waiting: number; reason: string }): string {
  const files = unfinished.length === 1 ? '1 test file' : `${unfinished.length} test files`;
  const running = unfinished.length > 0 ? ` ${files} had not finished: ${unfinished.join(', ')}.` : '';
  return `The tests were cut off: ${reason}.${running}${waiting > 0 ? ` ${waiting} more had not begun.` : ''}`;
}

/** Passes on each line of Vitest, and the elapsed time if there was no line for a while. */
function heartbeat(print: (line: string) => void) {
  const begun = performance.now();
  let last = begun;
  const timer = setInterval(() => {
    if (performance.now() - last < 20_000) return;
    last = performance.now();
    print(`        still testing, for ${Math.round((last - begun) / 1000)} s`);
  }, 1000);
  return {
    print(line: string) {
      if (line.trim() === '') return;
      last = performance.now();
      print(line);
    },
    end: () => clearInterval(timer),
  };
}

/** Linux's in-memory file system. */
const memory = '/dev/shm';
/** In bytes. A full run needs less than 300 MB at a time. */
const room = 2 * 1024 ** 3;

/**
 * Creates a folder for the temporary files of one run, deleted at its end. Tests create thousands of databases and
 * profiles: the folder is in memory if there is room, so that they do not wait for the disk, unless `TMPDIR` is set.
 */
function openScratch(): string {
  const folder = mkdtempSync(join(process.env.TMPDIR || !hasRoom() ? tmpdir() : memory, 'vestibule-run-'));
  // PostgreSQL refuses to run as root, so another user needs access to its data below.
  chmodSync(folder, 0o711);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const mount = mounts.find((line) => line.split(' ')[1] === memory);
    // Tests also run programs from there.
    return mount !== undefined && !mount.includes('noexec') && bavail * bsize >= room;
  } catch {
    return false;
  }
}
