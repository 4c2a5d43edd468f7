import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { options, usage } from './command-line.mjs';
import {
  command,
  enrolmentFile,
  folder,
  forgetFile,
  readJson,
  readSettings,
  removedExit,
  seenFile,
  settingsFile,
  spoolFile,
  writeWhole,
} from './data-folder.mjs';
import { keepNetwork } from './network.mjs';
import { isRemoved, isSuspended, platform, readServer, send, sendHeartbeat } from './requests.mjs';
import { readSpool } from './spool.mjs';
import { say, UserError } from './terminal.mjs';

export const deletionPlanned = 'The deletion of the account is planned.';

/** The idempotency key of a code: if the response was lost, the repeated command gets the same computer. */
function attemptWith(/** @type {string} */ code) {
  const sent = readJson(enrolmentFile);
  if (sent.code === code) return sent.attempt;
  const attempt = randomBytes(16).toString('base64url');
  writeWhole(enrolmentFile, JSON.stringify({ code, attempt }));
  return attempt;
}

/** Adds this computer to an account, and stores its token. */
export async function enrol(/** @type {string | undefined} */ code) {
  if (!code) throw new UserError(usage);
  const server = readServer(options.server);
  if (existsSync(settingsFile) && !options.keep)
    throw new UserError(`This computer is already added. Remove it first: ${command('uninstall')}
If it is a copy of another computer, add it anew, and keep the other one: ${command('install CODE --server URL --keep')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  keepNetwork();
  const name = options.name ?? hostname().replace(/\.local$/, '');
  const attempt = attemptWith(code);
  const reply = await send('POST /computers/enrol', { server, body: { code, name, platform, attempt } });
  if (reply.problem) throw new UserError(reply.problem);
  if (reply.status === 410) forgetFile(enrolmentFile);
  if (reply.code === 'enrolment_invalid')
    throw new UserError('This code is no longer valid. Request a new one on the page.');
  if (reply.code === 'computer_limit_reached')
    throw new UserError(
      `The account has reached its limit of ${reply.body.limit} devices. Remove one, then try again.`,
    );
  if (reply.status !== 201) throw new UserError(`${server} refused: ${reply.code ?? reply.status}`);
  const { computer, device_token: token } = reply.body;
  writeWhole(settingsFile, JSON.stringify({ server, computer, token }));
  // Of a copied disk: these are records of the other computer, which reports them itself.
  for (const file of [enrolmentFile, ...(options.keep ? [spoolFile, seenFile] : [])]) forgetFile(file);
  say(`Added as “${name}”.`);
}

export async function printStatus() {
  const settings = readSettings();
  const reply = await sendHeartbeat(settings, { isRunning: false });
  say(`Server: ${settings.server}\nComputer: ${settings.computer}\nNot sent yet: ${readSpool().length}`);
  if (reply.problem) throw new UserError(reply.problem);
  if (isSuspended(reply)) throw new UserError(deletionPlanned);
  if (isRemoved(reply)) throw forgetMembership(settings.token);
  if (reply.status !== 204) throw new UserError(`The server refused: ${reply.code ?? reply.status}`);
  say('The server answers.');
}

/** Deletes a void token with what belongs to it, unless this computer was added anew meanwhile. */
export function forgetMembership(/** @type {string} */ token) {
  if (readJson(settingsFile).token === token) for (const file of [settingsFile, spoolFile, seenFile]) forgetFile(file);
  const words = 'This computer was removed from the account. To add it again, use a new code.';
  return new UserError(words, { exitCode: removedExit });
}

/**
 * Removes this computer from its account, and deletes its token and unsent records. With `--keep`, the account keeps it:
 * another computer, of which this one is a copy, reports for it.
 */
export async function remove() {
  const { server, token } = readSettings();
  const reply = options.keep ? undefined : await leave({ server, token });
  if (reply && isSuspended(reply)) throw new UserError(`The computer is still in the account. ${deletionPlanned}`);
  if (reply?.problem) throw new UserError(`The computer is still in the account. ${reply.problem}`);
  // 401: the owner has already removed it on the page.
  if (reply && reply.status !== 204 && !isRemoved(reply))
    throw new UserError(`The computer is still in the account: ${reply.code ?? reply.status}.`);
  forgetMembership(token);
  say(reply ? 'This computer is no longer in the account.' : 'This computer no longer reports. The account keeps it.');
}

/** Asks the service to remove this computer; if others report with the same token, asks its user before. */
async function leave(/** @type {{ server: string, token: string }} */ parts) {
  const reply = await send(`DELETE /computers/me${options.yes ? '?shared=remove' : ''}`, parts);
  if (reply.code !== 'reported_by_others') return reply;
  const others =
    'Another computer reports as the same one: one of them is a copy. With it, all records would be deleted.';
  const keep = `To remove only the agent of this computer: ${command('uninstall --keep')}`;
  if (!process.stdin.isTTY)
    throw new UserError(`${others}\n${keep}\nTo remove it for both: ${command('uninstall --yes')}`);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${others}\n${keep}\nRemove it for both? [y/N] `);
  terminal.close();
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new UserError('Nothing was removed.');
  return send('DELETE /computers/me?shared=remove', parts);
}
