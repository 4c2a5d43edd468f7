#!/usr/bin/env node
// The reference agent: adds this computer to an account, sends heartbeats, and reports harmless facts.
// One file without dependencies, for Node 20 or newer; the build assembles it from small modules (bin/agent/).
// docs/agents.md explains how to write another agent.
import { inspect } from 'node:util';
import { folder, removedExit } from './data-folder.mjs';
import { install, printService, uninstall } from './install.mjs';
import { enrol, printStatus, remove } from './membership.mjs';
import { run } from './report.mjs';
import { enrolmentCode, options, say, subcommand, systemError, UserError, usage, warn } from './terminal.mjs';

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
