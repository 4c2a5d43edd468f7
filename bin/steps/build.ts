// The build, under the pinned Node: messages, the agent, the site, the prerenderer, the server, and the byte budget.
import { spawnSync } from 'node:child_process';
import { catalogProblems } from '../../src/messages/check-catalogs.ts';
import { writeAgent } from './agent.ts';
import { readCatalogs, warnOfMessages, withEnglish, writeIds, writeMessages } from './messages.ts';
import { inProject, root } from './places.mjs';

/** A missing translation does not fail the build, so that new screens can be seen; it fails the check `messages`. */
function buildMessages(): void {
  const catalogs = readCatalogs();
  writeIds(catalogs);
  writeMessages(withEnglish(catalogs));
  warnOfMessages(catalogProblems(catalogs));
}

/** Prints output only on failure: `npm start` should not show Vite's tables. */
function run(script: string, ...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} failed\n${stdout}${stderr}`);
}

try {
  buildMessages();
  writeAgent();
  run(inProject('node_modules', 'vite', 'bin', 'vite.js'), 'build', '--logLevel', 'warn');
  run(inProject('bin', 'budget.mjs'));
} catch (problem) {
  console.error((problem as Error).message);
  process.exitCode = 1;
}
