import { spawn, spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { readSettings, removedExit } from './data-folder.mjs';
import { deletionPlanned, endMembership } from './membership.mjs';
import { recordChanges } from './readings.mjs';
import { isRemoved, isSuspended, second, send, sendHeartbeat } from './requests.mjs';
import { dropOldest, dropSent, nextBatch, readSpool, record } from './spool.mjs';
import { say, systemError, UserError, warn } from './terminal.mjs';
import { beginTrial, noteTrial, recordStart, restartExit, update, updateInterval } from './update.mjs';

/** @import { Settings } from './data-folder.mjs' */
/** @import { Goodbye, Reply } from './requests.mjs' */

/** Seconds in which a computer is back from a restart, and the agent from one of its own, on a slow machine. */
const restartsWithin = 15 * 60;
const updatesWithin = 5 * 60;

/**
 * Why a stopping agent reports nothing more, with the text of the record.
 * @typedef {{ goodbye: Goodbye, text: string }} Reason
 */

/** The agent ends so that its service manager starts the new version; Windows takes a minute. */
const ofUpdate = /** @type {Reason} */ ({
  goodbye: { reason: 'update', returns_in: restartsWithin },
  text: 'The agent is being updated.',
});

/**
 * Why the agent is stopped, with the text of the record. Only systemd tells; elsewhere, nobody announces to be back.
 * @returns {Reason}
 */
function reasonOfStop() {
  const jobs = ofSystem(['list-jobs', '--no-legend']);
  if (/\b(?:reboot|soft-reboot|kexec)\.target\s+start/.test(jobs))
    return { goodbye: { reason: 'restart', returns_in: restartsWithin }, text: 'The computer is restarting.' };
  if (/\b(?:poweroff|halt|shutdown)\.target\s+start/.test(jobs))
    return { goodbye: { reason: 'shutdown' }, text: 'The computer was shut down.' };
  if (/\bvestibule-agent\.service\s+restart/.test(`${jobs}\n${ofSystem(['--user', 'list-jobs', '--no-legend'])}`))
    return { goodbye: { reason: 'update', returns_in: updatesWithin }, text: 'The agent is restarting.' };
  return { goodbye: { reason: 'stop' }, text: 'The agent was stopped.' };
}

function ofSystem(/** @type {string[]} */ words) {
  if (process.platform !== 'linux') return '';
  return spawnSync('systemctl', words, { encoding: 'utf8', timeout: 2 * second }).stdout ?? '';
}

/**
 * Calls `sleeps` before this computer is suspended, which waits for it a few seconds, and `wakes` after it (systemd’s
 * inhibitor locks, as GNOME and KDE use them). Without systemd or gdbus, it does nothing. Returns a function that ends it.
 * @param {{ sleeps: () => Promise<void>, wakes: () => void }} told
 */
function watchSleep({ sleeps, wakes }) {
  if (process.platform !== 'linux') return () => undefined;
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let lock;
  const hold = () => {
    // Ends with its input, even if the agent is killed.
    const words = [
      '--what=sleep',
      '--mode=delay',
      '--who=Vestibule agent',
      '--why=Reports that the computer sleeps',
      'cat',
    ];
    lock = spawn('systemd-inhibit', words, { stdio: ['pipe', 'ignore', 'ignore'] }).on('error', () => undefined);
    lock.stdin?.on('error', () => undefined);
  };
  const release = () => void lock?.stdin?.end();
  const place = ['--system', '--dest', 'org.freedesktop.login1', '--object-path', '/org/freedesktop/login1'];
  const monitor = spawn('gdbus', ['monitor', ...place], { stdio: ['ignore', 'pipe', 'ignore'] });
  monitor.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    if (/PrepareForSleep \(true/.test(text)) void sleeps().finally(release);
    if (/PrepareForSleep \(false/.test(text)) {
      wakes();
      hold();
    }
  });
  monitor
    .on('error', () => undefined)
    .on('spawn', hold)
    .on('close', () => {
      release();
      wakes();
    });
  return () => void monitor.kill();
}

const beatInterval = Number(process.env.VESTIBULE_AGENT_BEAT_SECONDS ?? 60) * second;
const longestPause = 10 * 60 * second;
/** A computer that shuts down or goes to sleep waits only a few seconds. */
const goodbyeTimeout = 4 * second;

/** When records may be sent again: beyond the limit of a day, the service accepts only heartbeats until the next. */
let recordsFrom = 0;
/** Records in the next batch, after one that the service will never accept: halved until the culprit is alone. */
let most = Number.POSITIVE_INFINITY;

/** Reports until the process is stopped or the computer is removed from the account. */
export async function run() {
  const isOnTrial = beginTrial();
  const settings = readSettings(removedExit);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGBREAK']) process.on(signal, () => stop.abort());
  let nap = new AbortController();
  let isAsleep = false;
  if (!isOnTrial) recordStart();
  say(`Reporting to ${settings.server}.`);
  const unwatch = watchSleep({
    async sleeps() {
      isAsleep = true;
      await sayGoodbye(settings, { goodbye: { reason: 'suspend' }, text: 'The computer goes to sleep.' });
    },
    wakes() {
      if (isAsleep) record('start', 'The computer woke up.');
      isAsleep = false;
      nap.abort();
    },
  });
  const report = openReport(settings);
  /** @type {Promise<number>} */
  const stopped = new Promise((done) => stop.signal.addEventListener('abort', () => done(0)));
  // At a time of its own: a thousand computers must not be updated at the same moment.
  let nextUpdate = Date.now() + Math.random() * updateInterval;
  let isReplaced = false;
  while (!stop.signal.aborted && !isReplaced) {
    if (Date.now() >= nextUpdate) {
      nextUpdate = Number.POSITIVE_INFINITY;
      // Meanwhile, reporting continues.
      void update(settings).then((replaced) => {
        nextUpdate = Date.now() + updateInterval;
        isReplaced = replaced;
        if (replaced) nap.abort();
      });
    }
    if (nap.signal.aborted) nap = new AbortController();
    // A service manager does not wait for a response that does not come.
    const wait = isAsleep ? beatInterval : await Promise.race([report(), stopped]);
    if (isReplaced) break;
    await pause(wait, undefined, { signal: AbortSignal.any([stop.signal, nap.signal]) }).catch(() => undefined);
  }
  unwatch();
  await sayGoodbye(settings, isReplaced ? ofUpdate : reasonOfStop());
  // Children of watchSleep may live a little longer.
  process.exit(isReplaced ? restartExit : 0);
}

/** Reports once, and returns the wait until the next time (ms). Throws only if this computer was removed. */
function openReport(/** @type {Settings} */ settings) {
  const reportProblem = openProblemReport();
  let failures = 0;
  return async () => {
    try {
      recordChanges();
      const reply = await sendBatch(settings);
      if (isRemoved(reply)) throw endMembership(settings.token);
      reportProblem(reply);
      // Not every success: a network that wants a sign-in first answers 200 with a page of its own.
      failures = reply.status === 202 || reply.status === 204 ? 0 : failures + 1;
      noteTrial(failures === 0);
      const hasMore = failures === 0 && Date.now() >= recordsFrom && readSpool().length > 0;
      return hasMore ? 0 : waitAfter(reply, failures);
    } catch (error) {
      if (error instanceof UserError && error.exitCode === removedExit) throw error;
      failures += 1;
      noteTrial(false);
      warn(`Not reported (${systemError(error)}).`);
      return backOff(failures);
    }
  };
}

/** Sends the last records, and then why nothing follows. */
async function sayGoodbye(
  /** @type {Settings} */ settings,
  /** @type {{ goodbye: Goodbye, text: string }} */ { goodbye, text },
) {
  record('stop', text);
  const reply = await sendBatch(settings, goodbyeTimeout);
  if (reply.status !== 0) await sendHeartbeat(settings, { goodbye, timeout: goodbyeTimeout });
}

/** Sends a batch, and deletes it once the service has accepted it. Without one to send, it sends a heartbeat. */
async function sendBatch(/** @type {Settings} */ settings, /** @type {number | undefined} */ timeout = undefined) {
  const spool = readSpool();
  const isPaused = Date.now() < recordsFrom;
  if (isPaused) dropOldest(spool);
  if (isPaused || spool.length === 0) return sendHeartbeat(settings, { ...(timeout && { timeout }) });
  const { server, token } = settings;
  const batch = nextBatch(spool, most);
  const reply = await send('POST /computers/records', { server, token, timeout, body: { records: batch } });
  // 400, 413 and 422 are permanent: retrying would block all later records.
  const isRefused = [400, 413, 422].includes(reply.status);
  if (reply.status === 202 || (isRefused && batch.length === 1)) dropSent(batch);
  else dropOldest(spool);
  if (reply.status === 202) most = Number.POSITIVE_INFINITY;
  if (isRefused) {
    most = Math.ceil(batch.length / 2);
    return sendHeartbeat(settings, { ...(timeout && { timeout }) });
  }
  if (reply.status !== 429 || reply.retryAfter <= beatInterval) return reply;
  recordsFrom = Date.now() + reply.retryAfter;
  return sendHeartbeat(settings, { ...(timeout && { timeout }) });
}

/** Exponential back-off with jitter, up to ten minutes, so that a thousand agents do not return at the same moment. */
const backOff = (/** @type {number} */ failures) =>
  Math.min(longestPause, beatInterval * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

/** In milliseconds. */
function waitAfter(/** @type {Reply} */ reply, /** @type {number} */ failures) {
  if (failures === 0) return beatInterval;
  return isSuspended(reply) ? 10 * beatInterval : Math.max(reply.retryAfter, backOff(failures));
}

/** Prints why the service cannot be reached, when that changes, and when it can again. */
function openProblemReport() {
  let former = '';
  return (/** @type {Reply} */ reply) => {
    const suspended = isSuspended(reply) && `${deletionPlanned} Reporting resumes if the owner cancels it.`;
    const problem = suspended || reply.problem;
    if (problem === former) return;
    // Without a response, nothing new is known about the account.
    if (former.startsWith(deletionPlanned) && reply.status === 0) return;
    former = problem;
    say(problem || 'Reporting again.');
  };
}
