import { execFile } from 'node:child_process';
import { createHash, verify } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, existsSync, readFileSync, realpathSync, renameSync } from 'node:fs';
import { machine, type } from 'node:os';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import {
  folder,
  forgetFile,
  formerCopy,
  installed,
  nextCopy,
  putInPlace,
  readJson,
  updateFile,
  writeWhole,
} from './data-folder.mjs';
import { openRequest } from './network.mjs';
import { second, send, sendHeartbeat, version } from './requests.mjs';
import { record } from './spool.mjs';
import { commandOf, isExecutable, program, systemError, warn } from './terminal.mjs';

/** @import { Settings } from './data-folder.mjs' */

const minute = 60 * second;
export const updateInterval = Number(process.env.VESTIBULE_AGENT_UPDATE_SECONDS ?? 6 * 3600) * second;
/** `run` ends with it so that a service manager starts the copy that is installed now. launchd does so after any but 0. */
export const restartExit = 75;
/** A new version that was started so often, or runs for so long, without reporting once is given up. */
const trialStarts = 3;
const trialTime = 15 * minute;
/** In bytes. */
const largestProgram = 400_000_000;

/** The file of this system in the list of published ones: named as `uname` prints it, or the one for a computer with Node. */
const artifact = isExecutable
  ? `vestibule-agent-${type()}-${machine()}${process.platform === 'win32' ? '.exe' : ''}`
  : 'vestibule-agent.mjs';

/**
 * Replaces the installed copy of this program by the one that the service offers, if it has the right signature, is newer
 * and can report. Returns whether it did: then this program ends. An update that cannot report is never tried again.
 */
export async function update(/** @type {Settings} */ settings) {
  try {
    // A service manager starts only the installed copy.
    if (!existsSync(installed) || realpathSync(installed) !== program) return false;
    const known = readJson(updateFile);
    const { status, body } = await send('GET /computers/agents/update', settings);
    const offer = status === 200 ? readOffer(body, known.key) : undefined;
    if (!offer || offer.published <= (known.published ?? '') || isBefore(offer.version, version)) return false;
    if (offer.hash === sha256(readFileSync(installed))) return false;
    if ((await download(settings.server, nextCopy)) !== offer.hash)
      throw new Error(`${artifact} was changed on its way`);
    const isWorking = await reports(nextCopy);
    // Without a response to this version either, the network is at fault.
    if (!isWorking && (await sendHeartbeat(settings)).status !== 204) return false;
    const state = { key: known.key, published: offer.published, ...(isWorking && { starts: 0 }) };
    writeWhole(updateFile, JSON.stringify(state));
    if (isWorking) putInPlace();
    else record('update_failed', `Version ${offer.version} of the agent cannot report: ${version} stays.`);
    return isWorking;
  } catch (error) {
    warn(`Not updated (${error instanceof Error ? error.message : systemError(error)}).`);
    return false;
  } finally {
    forgetFile(nextCopy);
  }
}

const isBefore = (/** @type {string} */ one, /** @type {string} */ other) =>
  one.localeCompare(other, 'en', { numeric: true }) < 0;

const sha256 = (/** @type {Buffer} */ content) => createHash('sha256').update(content).digest('hex');

/**
 * Reads the list of hashes whose signature the kept key verifies. Its first line names the version and the time of its
 * publication (ISO 8601).
 * @param {{ sums?: unknown, signature?: unknown }} offered
 * @param {unknown} key
 */
function readOffer({ sums, signature }, key) {
  if (typeof sums !== 'string' || typeof signature !== 'string' || typeof key !== 'string') return undefined;
  if (!verify(null, Buffer.from(sums), key, Buffer.from(signature, 'base64'))) {
    warn('Not updated (the signature is not of the key that this computer got when it was added).');
    return undefined;
  }
  const [head = '', ...lines] = sums.split('\n');
  const [, newest = '', published = ''] = /^# vestibule-agent (\S+) (\S+)$/.exec(head) ?? [];
  const hash = lines.map((line) => line.split('  ')).find(([, name]) => name === artifact)?.[0];
  return hash && published ? { version: newest, published, hash } : undefined;
}

/** Downloads the program, and returns its hash. */
async function download(/** @type {string} */ server, /** @type {string} */ file) {
  const url = new URL(`/computers/agents/${artifact}`, server);
  const headers = { 'accept-encoding': 'gzip' };
  const request = await openRequest(url, { method: 'GET', headers, signal: AbortSignal.timeout(60 * minute) });
  /** @type {[import('node:http').IncomingMessage]} */
  const [response] = /** @type {any} */ (await once(request.end(), 'response'));
  if (response.statusCode !== 200) throw new Error(`${url.pathname}: ${response.statusCode}`);
  const hash = createHash('sha256');
  const written = createWriteStream(file, { mode: 0o700 });
  let bytes = 0;
  await pipeline(
    response,
    ...(response.headers['content-encoding'] === 'gzip' ? [createGunzip()] : []),
    async function* (/** @type {AsyncIterable<Buffer>} */ chunks) {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        if (bytes > largestProgram) throw new Error(`${url.pathname} is too large`);
        hash.update(chunk);
        yield chunk;
      }
    },
    written,
  );
  // Linux runs no file that is still open for writing.
  if (!written.closed) await once(written, 'close');
  return hash.digest('hex');
}

/** @returns {Promise<boolean>} Whether another version of this program reaches the service, from this very process. */
const reports = (/** @type {string} */ file) =>
  new Promise((done) => {
    const [name = '', ...words] = commandOf(file);
    execFile(name, [...words, 'status', '--data', folder], { timeout: 2 * minute }, (error) => done(!error));
  });

const begun = Date.now();

/** A start without a stop before it may be an alarm, so a version on trial records its own once it has reported. */
export const recordStart = () => record('start', 'The agent was started.');

/** Counts the starts of a version that has not reported yet. Returns whether this is one. */
export function beginTrial() {
  const { starts, ...state } = readJson(updateFile);
  if (starts === undefined) return false;
  if (starts >= trialStarts) rollBack();
  else writeWhole(updateFile, JSON.stringify({ ...state, starts: starts + 1 }));
  return true;
}

/** Ends the trial of this version with its first report. */
export function noteTrial(/** @type {boolean} */ isReported) {
  const { starts, ...state } = readJson(updateFile);
  if (starts === undefined) return;
  if (!isReported) {
    if (Date.now() - begun > trialTime) rollBack();
    return;
  }
  writeWhole(updateFile, JSON.stringify(state));
  forgetFile(formerCopy);
  recordStart();
  record('updated', `The agent was updated to version ${version}.`);
}

/** Returns to the version before this one, which cannot report, and ends. */
function rollBack() {
  const { starts: _, ...state } = readJson(updateFile);
  writeWhole(updateFile, JSON.stringify(state));
  if (!existsSync(formerCopy)) return;
  record('update_failed', `Version ${version} of the agent cannot report: the former one is back.`);
  renameSync(installed, nextCopy);
  renameSync(formerCopy, installed);
  process.exit(restartExit);
}
