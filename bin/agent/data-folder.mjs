import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { options, program } from './command-line.mjs';
import { UserError } from './terminal.mjs';

export const folder = resolve(options.data ?? process.env.VESTIBULE_AGENT_DATA ?? join(homedir(), '.vestibule-agent'));
export const settingsFile = join(folder, 'agent.json');
export const spoolFile = join(folder, 'spool.jsonl');
export const seenFile = join(folder, 'seen.json');
/** What a command that adds this computer has sent, until it gets a response. */
export const enrolmentFile = join(folder, 'enrolment.json');
/** The service runs this copy, so that the downloaded file may be deleted. */
export const installed = join(folder, 'vestibule-agent.mjs');

/** A command of this agent, as its user can type it. */
export const command = (/** @type {string} */ words) =>
  `node "${existsSync(installed) ? installed : program}" ${words}`;

/** Replaces a file atomically: even after kill -9, it is either the old one or the new one. */
export function writeWhole(/** @type {string} */ file, /** @type {string} */ text) {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/**
 * What this computer received when it was added.
 * @typedef {{ server: string, computer: string, token: string }} Settings
 */

/** @returns {Settings} Throws a `UserError` if this computer is in no account. */
export function readSettings() {
  if (!existsSync(settingsFile))
    throw new UserError(`This computer is not added yet: ${command('install CODE --server URL')}`);
  return JSON.parse(readFileSync(settingsFile, 'utf8'));
}
