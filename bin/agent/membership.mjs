import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { options, usage } from './command-line.mjs';
import {
  command,
  enrolmentFile,
  folder,
  readSettings,
  seenFile,
  settingsFile,
  spoolFile,
  writeWhole,
} from './data-folder.mjs';
import { isSuspended, platform, readServer, send, sendHeartbeat } from './requests.mjs';
import { readSpool } from './spool.mjs';
import { say, UserError } from './terminal.mjs';

export const deletionPlanned = 'The deletion of the account is planned.';

/** The idempotency key of a code: if the response was lost, the repeated command gets the same computer. */
function attemptWith(/** @type {string} */ code) {
  const sent = existsSync(enrolmentFile) ? JSON.parse(readFileSync(enrolmentFile, 'utf8')) : {};
  if (sent.code === code) return sent.attempt;
  const attempt = randomBytes(16).toString('base64url');
  writeWhole(enrolmentFile, JSON.stringify({ code, attempt }));
  return attempt;
}

/** Adds this computer to an account, and stores its token. */
export async function enrol(/** @type {string | undefined} */ code) {
  if (!code) throw new UserError(usage);
  const server = readServer(options.server);
  if (existsSync(settingsFile))
    throw new UserError(`This computer is already added. Remove it first: ${command('uninstall')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = options.name ?? hostname().replace(/\.local$/, '');
  const attempt = attemptWith(code);
  const reply = await send('POST /computers/enrol', { server, body: { code, name, platform, attempt } });
  if (reply.status === 0) throw new UserError(`${server} does not respond.`);
  if (reply.status === 410) rmSync(enrolmentFile, { force: true });
  if (reply.code === 'enrolment_invalid')
    throw new UserError('This code is no longer valid. Request a new one on the page.');
  if (reply.code === 'computer_limit_reached')
    throw new UserError(
      `The account has reached its limit of ${reply.body.limit} devices. Remove one, then try again.`,
    );
  if (reply.status !== 201) throw new UserError(`${server} refused: ${reply.code ?? reply.status}`);
  const { computer, device_token: token } = reply.body;
  writeWhole(settingsFile, JSON.stringify({ server, computer, token }));
  rmSync(enrolmentFile, { force: true });
  say(`Added as “${name}”.`);
}

export async function printStatus() {
  const settings = readSettings();
  const reply = await sendHeartbeat(settings);
  say(`Server: ${settings.server}\nComputer: ${settings.computer}\nNot sent yet: ${readSpool().length}`);
  if (reply.status === 0) throw new UserError('The server does not respond.');
  if (reply.status === 401)
    throw new UserError(isSuspended(reply) ? deletionPlanned : 'This computer was removed from the account.');
  if (reply.status !== 204) throw new UserError(`The server refused: ${reply.code ?? reply.status}`);
  say('The server answers.');
}

/** Removes this computer from its account, and deletes its token and unsent records. */
export async function remove() {
  const { server, token } = readSettings();
  const reply = await send('DELETE /computers/me', { server, token });
  if (isSuspended(reply)) throw new UserError(`The computer is still in the account. ${deletionPlanned}`);
  // 401: the owner has already removed it on the page.
  if (reply.status !== 204 && reply.status !== 401) {
    const reason = reply.status === 0 ? 'the server does not respond' : (reply.code ?? reply.status);
    throw new UserError(`The computer is still in the account: ${reason}.`);
  }
  for (const file of [settingsFile, spoolFile, seenFile]) rmSync(file, { force: true });
  say('This computer is no longer in the account.');
}
