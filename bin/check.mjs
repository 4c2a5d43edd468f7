// Everything that has to be right, in one list. `npm test` runs all of it, `npm test -- lint unit` those steps.
// A failing step does not stop the others: one look tells everything that is to mend.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from './steps/places.mjs';
import { run } from './steps/run.mjs';

const tool = (/** @type {string[]} */ ...parts) => inProject('node_modules', ...parts);
const tsc = tool('typescript', 'bin', 'tsc');

/** Short ones, two at a time. @type {[name: string, args: string[]][]} */
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
/** Vitest's projects, one after another: each uses all processors. */
const projects = ['unit', 'store', 'http', 'browser'];

const reports = mkdtempSync(join(tmpdir(), 'vestibule-check-'));
const total = { passed: 0, failed: 0 };
/** @type {string[]} */
const closings = [];

function report(
  /** @type {string} */ name,
  /** @type {import('./steps/run.mjs').Ended} */ { passed, output, seconds },
) {
  console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name.padEnd(28)}${seconds.toFixed(1).padStart(6)} s`);
  if (!passed) console.log(`\n${output.trim()}\n`);
}

async function look(/** @type {string} */ name, /** @type {string[]} */ args) {
  const ended = await run(args);
  report(name, ended);
  total[ended.passed ? 'passed' : 'failed'] += 1;
}

async function test(/** @type {string} */ project) {
  const file = join(reports, `${project}.json`);
  const ended = await run([
    ...[tool('vitest', 'vitest.mjs'), 'run', '--project', project],
    ...['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
  ]);
  report(`tests: ${project}`, ended);
  const { passed, failed } = countTests(file);
  total.passed += passed;
  // A file that does not even load has no test that could fail.
  total.failed += ended.passed ? failed : Math.max(failed, 1);
  closings.push(`${project}\n${closingLines(ended.output)}`);
}

function countTests(/** @type {string} */ file) {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

/** Vitest's own summary: from "Test Files" on. */
function closingLines(/** @type {string} */ output) {
  const lines = output.trimEnd().split('\n');
  const begin = lines.findLastIndex((line) => /^\s*Test Files\s/.test(line));
  return begin < 0
    ? ' did not run to its end'
    : lines
        .slice(begin)
        .filter((line) => !/^JSON report/.test(line))
        .join('\n')
        .trimEnd();
}

const wanted = process.argv.slice(2);
const isWanted = (/** @type {string} */ name) => wanted.length === 0 || wanted.some((word) => name.includes(word));

const waiting = looks.filter(([name]) => isWanted(name));
async function worker() {
  for (let next = waiting.shift(); next; next = waiting.shift()) await look(...next);
}
await Promise.all([worker(), worker()]);
for (const project of projects.filter(isWanted)) await test(project);
rmSync(reports, { recursive: true, force: true });

if (closings.length > 0) console.log(`\n${closings.join('\n\n')}`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
