import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  command,
  enrolmentFile,
  folder,
  forgetFile,
  readJson,
  readSettings,
  removedExit,
  removedFile,
  seenFile,
  settingsFile,
  spoolFile,
  updateFile,
  writeWhole,
} from './data-folder.mjs';
import { keepNetwork } from './network.mjs';
import { isRemoved, isSuspended, platform, readServer, second, send, sendHeartbeat } from './requests.mjs';
import { readSpool } from './spool.mjs';
import { options, say, UserError, usage } from './terminal.mjs';

export const deletionPlanned = 'The deletion of the account is planned.';

/** The idempotency key of a code: if the response was lost, the repeated command gets the same computer. */
function attemptWith(/** @type {string} */ code) {
  const sent = readJson(enrolmentFile);
  if (sent.code === code) return sent.attempt;
  const attempt = randomBytes(16).toString('base64url');
  writeWhole(enrolmentFile, JSON.stringify({ code, attempt }));
  return attempt;
}

/** Whether a text is a key, with which many computers add themselves, and not a code that someone typed. */
export const isKey = (/** @type {string | undefined} */ code) => code?.startsWith('vk_') ?? false;

/** Why the service refuses a code or a key. */
const refusals = new Map([
  ['enrolment_invalid', 'This code is no longer valid. Request a new one on the page.'],
  ['enrolment_key_revoked', 'This key was revoked. Create a new one on the page.'],
  ['enrolment_key_expired', 'This key has expired. Create a new one on the page.'],
  ['enrolment_key_used_up', 'This key has added all the computers that it may add. Create a new one on the page.'],
  ['network_not_allowed', 'This key does not work in the network of this computer.'],
]);

/** Adds this computer to an account, and stores its token. */
export async function enrol(/** @type {string | undefined} */ code) {
  if (!code) throw new UserError(usage);
  const server = readServer(options.server);
  if (isKey(code) && !options.keep) {
    // Scripts run the same command again and again.
    if (readJson(settingsFile).server === server) return say('This computer is already added.');
    if (existsSync(removedFile)) throw removedError();
  }
  if (existsSync(settingsFile) && !options.keep)
    throw new UserError(`This computer is already added. Remove it first: ${command('uninstall')}
If it is a copy of another computer, add it anew, and keep the other one: ${command('install CODE --server URL --keep')}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  keepNetwork();
  const name = options.name ?? hostname().replace(/\.local$/, '');
  const attempt = attemptWith(code);
  const parts = { server, body: { code, name, platform, attempt } };
  const reply = await sendInTurn('POST /computers/enrol', parts, isKey(code) ? triesWithKey : 1);
  if (reply.status === 410) forgetFile(enrolmentFile);
  if (reply.status !== 201) throw new UserError(whyNotAdded(reply, server));
  const { computer, device_token: token } = reply.body;
  if (typeof token !== 'string') throw new UserError(`${server} does not respond as the service.`);
  writeWhole(settingsFile, JSON.stringify({ server, computer, token }));
  // Of a copied disk: these are records of the other computer, which reports them itself.
  for (const file of [enrolmentFile, removedFile, ...(options.keep ? [spoolFile, seenFile] : [])]) forgetFile(file);
  await keepUpdateKey({ server, token });
  say(`Added as “${name}”.`);
}

/** Keeps the key whose signature updates need from now on, even if someone else controls the service by then. */
export async function keepUpdateKey(/** @type {{ server: string, token: string }} */ settings) {
  const { status, body } = await sendInTurn('GET /computers/agents/update', settings, 3);
  if (status === 200 && typeof body.key === 'string') writeWhole(updateFile, JSON.stringify({ key: body.key }));
}

function whyNotAdded(
  /** @type {import('./requests.mjs').Reply} */ { problem, code, status, body },
  /** @type {string} */ server,
) {
  if (problem) return problem;
  if (code === 'computer_limit_reached')
    return `The account has reached its limit of ${body.limit} devices. Remove one, then try again.`;
  return refusals.get(code ?? '') ?? `${server} refused: ${code ?? status}`;
}

/** A thousand computers may start together, some of them before their network: about two minutes in all. */
const triesWithKey = 7;

/**
 * Sends a request, and again while the service is busy or does not respond.
 * @param {string} request
 * @param {Parameters<typeof send>[1]} parts
 * @param {number} tries
 */
async function sendInTurn(request, parts, tries) {
  for (let tried = 1; ; tried += 1) {
    const reply = await send(request, parts);
    if (tried === tries || ![0, 429, 503].includes(reply.status)) return reply;
    await pause(Math.max(reply.retryAfter, second * 2 ** tried * (0.5 + Math.random() / 2)));
  }
}

export async function printStatus() {
  const settings = readSettings();
  const reply = await sendHeartbeat(settings, { isRunning: false });
  say(`Server: ${settings.server}\nComputer: ${settings.computer}\nNot sent yet: ${readSpool().length}`);
  if (reply.problem) throw new UserError(reply.problem);
  if (isSuspended(reply)) throw new UserError(deletionPlanned);
  if (isRemoved(reply)) throw endMembership(settings.token);
  if (reply.status !== 204) throw new UserError(`The server refused: ${reply.code ?? reply.status}`);
  say('The server answers.');
}

/** Deletes a token with what belongs to it, unless this computer was added anew meanwhile. */
function forgetMembership(/** @type {string} */ token) {
  if (readJson(settingsFile).token === token) for (const file of [settingsFile, spoolFile, seenFile]) forgetFile(file);
}

/** Forgets that this computer was in an account that it was removed from, and returns the words for its user. */
export function endMembership(/** @type {string} */ token) {
  forgetMembership(token);
  try {
    writeWhole(removedFile, JSON.stringify({ at: new Date().toISOString() }));
  } catch {
    // The disk is full or read-only.
  }
  return removedError();
}

const removedError = () =>
  new UserError('This computer was removed from the account. To add it again, use a new code.', {
    exitCode: removedExit,
  });

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
