// `npm test` runs every check, `npm test -- full` also the long tests, and
// `npm test -- lint unit` only the checks with one of these words in their name. A failing check does not stop the
// others, so one run shows every problem.

import config from '../vitest.config.ts';
import { type Ended, run } from './checks/run.ts';
import { runTests } from './checks/tests.ts';
import { readCatalogs, writeIds } from './steps/messages.ts';
import { machineTrouble } from './steps/pinned-node.mjs';
import { inProject } from './steps/places.mjs';

/** A short check that runs in parallel with the tests. */
interface Step {
  readonly name: string;
  /** The arguments for Node. */
  readonly args: readonly string[];
  readonly needsBuild?: boolean;
}

const tool = (...parts: readonly string[]) => inProject('node_modules', ...parts);
/** The short checks. They run one after another while the tests run. */
const steps: readonly Step[] = [
  // Three projects that share what they have read; after the first run, only changed files are checked. Each further
  // checker would repeat half of the work, and the tests need the other processors.
  { name: 'types', args: [tool('typescript', 'bin', 'tsc'), '-b', '--checkers', '1', '--builders', '1'] },
  {
    name: 'lint and format',
    args: [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '--max-diagnostics=100'],
  },
  { name: 'import rules', args: [inProject('bin', 'checks', 'imports.ts')] },
  { name: 'styles', args: [inProject('bin', 'checks', 'styles.ts')] },
  { name: 'unused code', args: [tool('knip', 'bin', 'knip.js'), '--treat-config-hints-as-errors'] },
  { name: 'messages', args: [inProject('bin', 'steps', 'messages.ts')] },
  { name: 'byte budget', args: [inProject('bin', 'budget.mjs')], needsBuild: true },
];

const isFull = process.argv.includes('full');
const words = process.argv.slice(2).filter((word) => word !== 'full');
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));

/** Minutes after which a run counts as hanging. Generous, because a busy machine is slow. */
const limit = isFull ? 180 : 60;
const stopping = new AbortController();
const { signal: stop } = stopping;
setTimeout(() => stopping.abort(`time limit of ${limit} minutes`), limit * 60_000).unref();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => stopping.abort(`interrupted by ${name === 'SIGINT' ? 'Ctrl+C' : name}`));

const total = { passed: 0, failed: 0 };
/** The paragraphs of the summary. */
const problems: string[] = [];
const troubles = new Set<string>();

function report(name: string, { passed, output, seconds }: Ended): void {
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(28)}${seconds.toFixed(1).padStart(6)} s`);
  const trouble = passed ? undefined : machineTrouble(output);
  if (trouble) troubles.add(trouble);
}

/** Counts a check that is not a test, and shows its output if it failed. */
function count(name: string, ended: Ended): void {
  report(name, ended);
  total[ended.passed ? 'passed' : 'failed'] += 1;
  if (ended.passed) return;
  const [first = ended.reason] = ended.output.trim().split('\n', 1);
  problems.push(`${name}\n    ${stop.aborted ? ended.reason : first}`);
}

/** The types need it, also without a build. */
function refreshIds(): void {
  try {
    writeIds(readCatalogs());
  } catch {
    // The check `messages` reports why the catalogs are unreadable.
  }
}

async function build(): Promise<boolean> {
  const ended = await run([inProject('bin', 'setup.mjs'), '--everything'], {
    stop,
    print: (line) => console.log(line),
  });
  if (!ended.passed) count('build', ended);
  return ended.passed;
}

/** Runs steps: one at a time, or two if no tests need the processors. */
async function runSteps(some: readonly Step[]): Promise<void> {
  const waiting = [...some];
  const lane = async () => {
    for (let step = waiting.shift(); step && !stop.aborted; step = waiting.shift()) {
      const { name, args } = step;
      const ended = await run(args, { stop });
      count(name, ended);
      if (!ended.passed) console.log(`\n${ended.output.trim()}\n`);
    }
  };
  await Promise.all(wantedProjects.length > 0 ? [lane()] : [lane(), lane()]);
}

async function test(): Promise<void> {
  const tested = await runTests({
    args: wantedProjects.map((project) => `--project=${project}`),
    tier: isFull ? 'full' : 'fast',
    stop,
    print: (line) => console.log(line),
  });
  report('tests', tested);
  total.passed += tested.counts.passed;
  total.failed += tested.counts.failed;
  problems.push(...tested.problems);
}

const projects = config.test.projects.map((project) => project.test.name);
const wantedProjects = projects.filter(isWanted);
const wantedSteps = steps.filter(({ name }) => isWanted(name));
if (wantedProjects.length + wantedSteps.length === 0) {
  const names = [...projects, ...steps.map(({ name }) => name)].join(', ');
  console.log(`No check has ${words.join(' or ')} in its name; choose from ${names}.`);
}
refreshIds();

// Steps that need no build run beside it.
const built = wantedProjects.length > 0 || wantedSteps.some(({ needsBuild }) => needsBuild) ? build() : undefined;
const tested = built?.then((isBuilt) => (isBuilt && wantedProjects.length > 0 ? test() : undefined));
await runSteps(wantedSteps.filter(({ needsBuild }) => !needsBuild));
if (await built) await runSteps(wantedSteps.filter(({ needsBuild }) => needsBuild));
await tested;

if (stop.aborted && problems.length === 0) problems.push(String(stop.reason));
if (problems.length > 0) console.log(`\nFailed:\n\n  ${problems.join('\n\n  ')}`);
for (const trouble of troubles) console.log(`\nThis machine: ${trouble}.`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || stop.aborted || total.passed === 0 ? 1 : 0;
