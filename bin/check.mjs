// Everything that has to be right, in one list. `npm test` runs all of it, `npm test -- lint unit` those steps.
// A failing step does not stop the others: one look tells everything that there is to mend.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machineTrouble } from './steps/machine.mjs';
import { inProject } from './steps/places.mjs';
import { run } from './steps/run.mjs';
import { openScratch } from './steps/scratch.mjs';

const tool = (/** @type {string[]} */ ...parts) => inProject('node_modules', ...parts);
const tsc = tool('typescript', 'bin', 'tsc');

/** Short ones, one after another while the tests run. @type {[name: string, args: string[]][]} */
const looks = [
  ['types of the server', [tsc, '-p', 'tsconfig.server.json']],
  ['types of the browser', [tsc, '-p', 'tsconfig.browser.json']],
  ['types of the browser tests', [tsc, '-p', 'tsconfig.e2e.json']],
  [
    'lint and format',
    [tool('@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '--max-diagnostics=100'],
  ],
  ['import rules', [inProject('bin', 'imports', 'check.ts')]],
  ['styles', [inProject('bin', 'styles', 'check.ts')]],
  ['unused code', [tool('knip', 'bin', 'knip.js'), '--treat-config-hints-as-errors']],
  ['messages', [inProject('bin', 'steps', 'check-messages.ts')]],
  ['byte budget', [inProject('bin', 'budget.mjs')]],
];
/** Vitest's projects; their test files run side by side. */
const projects = ['unit', 'store', 'http', 'browser'];

const total = { passed: 0, failed: 0 };
/** @type {Set<string>} */
const troubles = new Set();

function report(
  /** @type {string} */ name,
  /** @type {import('./steps/run.mjs').Ended} */ { passed, output, seconds },
) {
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(28)}${seconds.toFixed(1).padStart(6)} s`);
  const trouble = passed ? undefined : machineTrouble(output);
  if (trouble) troubles.add(trouble);
}

async function look(/** @type {string} */ name, /** @type {string[]} */ args) {
  const ended = await run(args);
  report(name, ended);
  if (!ended.passed) console.log(`\n${ended.output.trim()}\n`);
  total[ended.passed ? 'passed' : 'failed'] += 1;
}

async function test(/** @type {readonly string[]} */ wanted) {
  const folder = openScratch();
  const file = join(folder, 'report.json');
  const beat = heartbeat();
  const ended = await run(
    [
      ...[tool('vitest', 'vitest.mjs'), 'run', ...wanted.flatMap((project) => ['--project', project])],
      ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    ],
    { env: { TMPDIR: folder }, tell: beat.tell },
  );
  beat.end();
  report('tests', ended);
  const { passed, failed } = countTests(file);
  total.passed += passed;
  // A file that does not even load has no test that could fail.
  total.failed += ended.passed ? failed : Math.max(failed, 1);
}

/** Vitest says a line for each test file; when none has come for a while, that and for how long it has been working. */
function heartbeat() {
  const begun = performance.now();
  let last = begun;
  const timer = setInterval(() => {
    if (performance.now() - last < 20_000) return;
    last = performance.now();
    console.log(`        still testing, for ${Math.round((last - begun) / 1000)} s`);
  }, 1000);
  return {
    tell(/** @type {string} */ line) {
      if (line.trim() === '' || /^\s*JSON report/.test(line)) return;
      last = performance.now();
      console.log(line);
    },
    end: () => clearInterval(timer),
  };
}

function countTests(/** @type {string} */ file) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

const words = process.argv.slice(2);
const isWanted = (/** @type {string} */ name) => words.length === 0 || words.some((word) => name.includes(word));

// The terminal tells the tests, too, which end what they have started; a second time ends all at once.
let interrupted = false;
process.once('SIGINT', () => {
  interrupted = true;
});

const wantedProjects = projects.filter(isWanted);
const tested = wantedProjects.length > 0 ? test(wantedProjects) : undefined;
for (const [name, args] of looks.filter(([name]) => isWanted(name))) if (!interrupted) await look(name, args);
await tested;

for (const trouble of troubles) console.log(`\nThis machine: ${trouble}.`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
