// The build, under the pinned Node: messages, what browsers load, what renders the pages, and the byte budget.
import { spawnSync } from 'node:child_process';
import { warnOfMessages, withEnglish } from './fallback.ts';
import { messageProblems, readCatalogs, writeIds, writeMessages } from './messages.ts';
import { inProject, root } from './places.mjs';

/** A missing translation stops nobody from seeing a new screen; the check `messages` fails because of it. */
function buildMessages(): void {
  const catalogs = readCatalogs();
  writeIds(catalogs);
  writeMessages(withEnglish(catalogs));
  warnOfMessages(messageProblems(catalogs));
}

/** Prints nothing unless it fails: `npm start` is no place for Vite's tables. */
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
