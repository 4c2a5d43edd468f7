import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isExecutable, options, program, systemError, typed, UserError } from './terminal.mjs';

export const folder = resolve(options.data ?? process.env.VESTIBULE_AGENT_DATA ?? join(homedir(), '.vestibule-agent'));
export const settingsFile = join(folder, 'agent.json');
export const spoolFile = join(folder, 'spool.jsonl');
export const seenFile = join(folder, 'seen.json');
/** The proxies and the private certificate authority by which this computer reaches the service. */
export const networkFile = join(folder, 'network.json');
/** The key of updates, and which one was tried last. */
export const updateFile = join(folder, 'update.json');
/** What a command that adds this computer has sent, until it gets a response. */
export const enrolmentFile = join(folder, 'enrolment.json');
/** Says that the owner removed this computer: a key, which a script may use again and again, does not bring it back. */
export const removedFile = join(folder, 'removed.json');
/** The service runs this copy, so that the downloaded file may be deleted. */
const ownName = isExecutable ? `vestibule-agent${process.platform === 'win32' ? '.exe' : ''}` : 'vestibule-agent.mjs';
export const installed = join(folder, ownName);

/** The copy that was installed before. */
export const formerCopy = join(folder, `former-${ownName}`);
/** The copy that replaces it, until then. Node runs only files with this ending as modules. */
export const nextCopy = join(folder, `next-${ownName}`);

/** `run` ends with it once this computer is in no account: a restart cannot help. After any other, it can. */
export const removedExit = 77;

/** A command of this agent, as its user can type it. */
export const command = (/** @type {string} */ words) =>
  `${typed(existsSync(installed) ? installed : program)} ${words}`;

/** Replaces the installed copy by the next one. A system that runs a program can only move it aside. */
export function putInPlace() {
  forgetFile(formerCopy);
  if (existsSync(installed)) renameSync(installed, formerCopy);
  renameSync(nextCopy, installed);
}

/** Replaces a file atomically: even after kill -9, it is either the old one or the new one. */
export function writeWhole(/** @type {string} */ file, /** @type {string} */ text) {
  try {
    writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
    renameSync(`${file}.new`, file);
  } catch (error) {
    forgetFile(`${file}.new`);
    throw error;
  }
}

/** Deletes a file if the disk allows it. */
export function forgetFile(/** @type {string} */ file) {
  try {
    rmSync(file, { force: true });
  } catch {
    // The disk is read-only: what the file says is void all the same.
  }
}

/** @returns {Record<string, any>} The content of a JSON file; empty if it is missing or damaged. */
export function readJson(/** @type {string} */ file) {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    return typeof content === 'object' && content !== null ? content : {};
  } catch {
    return {};
  }
}

/**
 * What this computer received when it was added.
 * @typedef {{ server: string, computer: string, token: string }} Settings
 */

/** @returns {Settings} Throws a `UserError`, with that exit code, if this computer is in no account. */
export function readSettings(exitCode = 1) {
  let text = '';
  try {
    text = readFileSync(settingsFile, 'utf8');
  } catch (error) {
    if (systemError(error) !== 'ENOENT') throw error;
    const words = `This computer is not added yet: ${command('install CODE --server URL')}`;
    throw new UserError(words, { exitCode, cause: error });
  }
  try {
    const settings = JSON.parse(text);
    if (typeof settings.server === 'string' && typeof settings.token === 'string') return settings;
  } catch {
    // Damaged.
  }
  throw new UserError(
    `${settingsFile} is damaged. Add this computer again: ${command('install CODE --server URL --keep')}`,
  );
}
