// The build, under the pinned Node: messages, what browsers load, what renders the pages, and the byte budget.
//   --check-ids  ids.ts has to be up to date already, instead of being written
import { spawnSync } from 'node:child_process';
import { messageProblems, readCatalogs, writeIds, writeMessages } from './messages.ts';
import { inProject, root } from './places.mjs';

function buildMessages(): void {
  const catalogs = readCatalogs();
  if (!process.argv.includes('--check-ids')) writeIds(catalogs);
  const problems = messageProblems(catalogs);
  if (problems.length > 0) throw new Error(`The messages are not in order:\n${problems.join('\n')}`);
  writeMessages(catalogs);
}

/** Silent unless it fails: whoever starts the service did not ask for tables. */
function run(script: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} failed\n${stdout}${stderr}`);
}

try {
  buildMessages();
  run(inProject('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn');
  run(inProject('bin', 'budget.mjs'));
} catch (problem) {
  console.error((problem as Error).message);
  process.exitCode = 1;
}
