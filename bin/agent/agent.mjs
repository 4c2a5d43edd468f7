#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
// The reference agent: adds this computer to an account, sends heartbeats, and reports harmless facts.
// One file without dependencies, for Node 20 or newer; the build assembles it from small modules (bin/agent/).
// docs/agents.md explains how to write another agent.
import { inspect } from 'node:util';
import {
  command,
  enrolmentFile,
  folder,
  forgetFile,
  formerCopy,
  installed,
  networkFile,
  nextCopy,
  putInPlace,
  readSettings,
  removedExit,
  removedFile,
  settingsFile,
  updateFile,
} from './data-folder.mjs';
import { enrol, isKey, keepUpdateKey, printStatus, remove } from './membership.mjs';
import { keepNetwork } from './network.mjs';
import { run } from './report.mjs';
import { platform } from './requests.mjs';
import { isForSystem, services } from './services.mjs';
import { enrolmentCode, options, program, say, subcommand, systemError, UserError, usage, warn } from './terminal.mjs';

/** Adds this computer, and makes the system run the agent from now on. */
async function install(/** @type {string | undefined} */ code) {
  if (code || !existsSync(settingsFile)) await enrol(code);
  else {
    keepNetwork();
    await keepUpdateKey(readSettings());
  }
  const isSame = isInstalled();
  if (!isSame) {
    copyFileSync(program, nextCopy);
    putInPlace();
    forgetFile(formerCopy);
  }
  const undo = `To undo this, run: ${command('uninstall')}`;
  if (!startsServices()) {
    say(`This system starts no services, so the agent reports only as long as this command runs.\n${undo}`);
    return run();
  }
  const { file, text, start } = serviceOf(platform);
  // A script that runs at each start must not restart the agent each time.
  if (isSame && isKey(code) && existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true });
  // The Windows task scheduler reads only UTF-16.
  writeFileSync(file, platform === 'windows' ? `\uFEFF${text}` : text, platform === 'windows' ? 'utf16le' : 'utf8');
  for (const step of start) execute(step);
  say(`It reports in the background from now on, even after a restart.\n${undo}`);
}

/** Whether the installed copy is this program. */
const isInstalled = () =>
  program === installed || (existsSync(installed) && readFileSync(program).equals(readFileSync(installed)));

async function uninstall() {
  if (existsSync(settingsFile)) await remove();
  const describe = services[platform];
  if (describe) {
    const { file, stop } = describe();
    if (existsSync(file)) for (const step of stop) execute(step);
    forgetFile(file);
  }
  freeRunningCopy();
  for (const left of [installed, formerCopy, enrolmentFile, networkFile, removedFile, updateFile]) forgetFile(left);
  try {
    rmdirSync(folder);
  } catch {
    // Files of its user are in the folder, or it is already gone.
  }
  say('The agent is no longer installed.');
}

/** Windows cannot delete a running program, only move it. */
function freeRunningCopy() {
  if (platform !== 'windows' || program !== installed) return;
  try {
    renameSync(installed, join(tmpdir(), `vestibule-agent-${process.pid}.exe`));
  } catch {
    // On another disk: it stays.
  }
}

function printService() {
  const { file, text } = serviceOf(options.system ?? platform);
  say(`${file}\n\n${text}`);
}

function serviceOf(/** @type {string} */ system) {
  const describe = services[system];
  if (!describe) throw new UserError(`There is no service for ${system}: start “${command('run')}” yourself.`);
  return describe();
}

/** Whether this system starts services: a container has no service manager. */
function startsServices() {
  if (platform !== 'linux') return Object.hasOwn(services, platform);
  const scope = isForSystem() ? [] : ['--user'];
  const state = outputOf(spawnSync('systemctl', [...scope, 'is-system-running'], { encoding: 'utf8' }));
  return /^(?:initializing|starting|running|degraded|maintenance)$/.test(state);
}

function execute(/** @type {string[]} */ [name = '', ...words]) {
  const mayFail = name.startsWith('-');
  const result = spawnSync(mayFail ? name.slice(1) : name, words, { encoding: 'utf8' });
  if (result.status !== 0 && !mayFail) throw new UserError(`${[name, ...words].join(' ')} failed: ${outputOf(result)}`);
}

const outputOf = (/** @type {import('node:child_process').SpawnSyncReturns<string>} */ { stdout, stderr, error }) =>
  `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim();

const subcommands = new Map(
  /** @type {[string, () => void | Promise<void>][]} */ ([
    ['install', () => install(enrolmentCode)],
    ['uninstall', uninstall],
    ['enrol', () => enrol(enrolmentCode)],
    ['run', run],
    ['status', printStatus],
    ['remove', remove],
    ['service', printService],
  ]),
);

/** Errors of the disk, which its user can solve. */
const diskErrors = new Map([
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EROFS', 'the disk is read-only'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EIO', 'the disk has a fault'],
  ['ENOTDIR', 'not a folder'],
  ['EEXIST', 'not a folder'],
  ['EISDIR', 'a folder, not a file'],
]);

try {
  const chosen = subcommands.get(subcommand);
  if (options.help) say(usage);
  else if (chosen) await chosen();
  else throw new UserError(usage);
} catch (error) {
  const cause = diskErrors.get(systemError(error));
  const words = cause ? `${/** @type {any} */ (error).path ?? folder}: ${cause}.` : inspect(error);
  warn(error instanceof UserError ? error.message : words);
  const exitCode = error instanceof UserError ? error.exitCode : 1;
  // launchd cannot tell exit codes apart: it restarts after any but 0.
  process.exitCode = exitCode === removedExit && process.platform === 'darwin' ? 0 : exitCode;
}
