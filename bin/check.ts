// `npm test` runs every check, `npm test -- lint unit` only the named ones, and `npm test -- changed` those that a
// change since their last green run may affect. A failing check does not stop the others, so one run shows every problem.

import type { Moment } from './checks/inputs.ts';
import { openGreens, readMoment } from './checks/moment.ts';
import { type Check, due, keep, plan, testChecks } from './checks/plan.ts';
import { type Project, setups } from './checks/projects.ts';
import { runTests } from './checks/run-tests.ts';
import { type Step, steps } from './checks/steps.ts';
import { machineTrouble } from './steps/machine.mjs';
import { readCatalogs, writeIds } from './steps/messages.ts';
import { inProject } from './steps/places.mjs';
import { type Ended, run } from './steps/run.mjs';

const changed = process.argv.includes('changed');
const words = process.argv.slice(2).filter((word) => word !== 'changed');
const isWanted = (name: string) => words.length === 0 || words.some((word) => name.includes(word));

const total = { passed: 0, failed: 0, unchanged: 0 };
const troubles = new Set<string>();
const greens = openGreens();

function report(name: string, { passed, output, seconds }: Ended): void {
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(28)}${seconds.toFixed(1).padStart(6)} s`);
  const trouble = passed ? undefined : machineTrouble(output);
  if (trouble) troubles.add(trouble);
}

/** Selects the checks to run: with `changed`, skips checks that passed with the current content of all their inputs. */
function choose(moment: Moment, checks: readonly Check[]) {
  if (!changed) return checks.map((check) => plan(moment, check));
  const chosen = due(moment, { checks, greens });
  total.unchanged += checks.length - chosen.length;
  return chosen;
}

/** Updates a stale `ids.ts`, so that only the check `messages` fails because of it. */
function refreshIds() {
  try {
    const stale = writeIds(readCatalogs());
    if (stale) console.log('src/messages/ids.ts was stale; updated it');
    return stale;
  } catch {
    // The check `messages` reports why the catalogs are unreadable.
    return false;
  }
}

async function build() {
  const ended = await run([inProject('bin', 'setup.mjs'), '--everything'], { tell: (line) => console.log(line) });
  if (ended.passed) return true;
  report('build', ended);
  total.failed += 1;
  return false;
}

async function runStep({ name, args }: Step): Promise<boolean> {
  const ended = await run([...args, ...(name === 'messages' && idsWereStale ? ['--stale-ids'] : [])]);
  report(name, ended);
  if (!ended.passed) console.log(`\n${ended.output.trim()}\n`);
  total[ended.passed ? 'passed' : 'failed'] += 1;
  return ended.passed;
}

/** Runs steps: one at a time, or two if no tests need the processors. Steps without a build run while the build does. */
async function runSteps(some: readonly Step[]) {
  const before = readMoment();
  const chosen = choose(before, some);
  const isChosen = ({ name }: Step) =>
    chosen.some(({ check }) => check.name === name) || (name === 'messages' && idsWereStale);
  const waiting = some.filter(isChosen);
  const passed: string[] = [];
  const lane = async () => {
    for (let step = waiting.shift(); step && !interrupted; step = waiting.shift())
      if (await runStep(step)) passed.push(step.name);
  };
  await Promise.all(wantedProjects.length > 0 ? [lane()] : [lane(), lane()]);
  return {
    before,
    passed: chosen.filter(({ check }) => passed.includes(check.name)),
    called: new Map<string, readonly string[]>(),
  };
}

async function test() {
  const before = readMoment();
  const tests = testChecks(before).filter(({ project }) => wantedProjects.includes(project));
  const chosen = choose(before, tests);
  if (chosen.length === 0) return { before, passed: [], called: new Map<string, readonly string[]>() };
  const {
    ended,
    report: counted,
    called,
  } = await runTests({
    files: chosen.length < tests.length ? chosen : [],
    projects: wantedProjects,
    // A clean checkout has no later run that would profit.
    recordsCalls: changed,
  });
  report('tests', ended);
  total.passed += counted.passed;
  // A test file that fails to load reports no failed test.
  total.failed += ended.passed ? counted.failed : Math.max(counted.failed, 1);
  return { before, passed: chosen.filter(({ check }) => counted.green.includes(check.name)), called };
}

// Ctrl+C also interrupts the tests, which stop what they have started; a second Ctrl+C kills everything.
let interrupted = false;
process.once('SIGINT', () => {
  interrupted = true;
});

const projects = Object.keys(setups) as Project[];
const wantedProjects = projects.filter(isWanted);
const wantedSteps = steps.filter(({ name }) => isWanted(name));
if (wantedProjects.length + wantedSteps.length === 0) {
  const names = [...projects, ...steps.map(({ name }) => name)].join(', ');
  console.log(`No check has ${words.join(' or ')} in its name; choose from ${names}.`);
}
const idsWereStale = refreshIds();

const [free, bound] = [false, true].map((needs) =>
  wantedSteps.filter(({ needsBuild = false }) => needsBuild === needs),
);
const built = bound?.length || wantedProjects.length ? build() : Promise.resolve(true);
const tested = built.then((isBuilt) => (isBuilt && wantedProjects.length > 0 ? test() : undefined));
const runs = [await runSteps(free ?? []), (await built) ? await runSteps(bound ?? []) : undefined, await tested];

if (!interrupted) {
  const after = readMoment();
  for (const done of runs) if (done) keep([done.before, after], { passed: done.passed, called: done.called, greens });
}

for (const trouble of troubles) console.log(`\nThis machine: ${trouble}.`);
const { passed, failed, unchanged } = total;
const same = changed ? `, ${unchanged} unchanged since they passed` : '';
console.log(`\n${passed} passed, ${failed} failed${same}`);
process.exitCode = failed > 0 || interrupted || passed + unchanged === 0 ? 1 : 0;
