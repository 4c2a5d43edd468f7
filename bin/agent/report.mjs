import { setTimeout as pause } from 'node:timers/promises';
import { readSettings } from './data-folder.mjs';
import { deletionPlanned } from './membership.mjs';
import { recordChanges } from './observations.mjs';
import { isSuspended, second, send, sendHeartbeat } from './requests.mjs';
import { dropOldest, dropSent, nextBatch, readSpool, record } from './spool.mjs';
import { say, UserError } from './terminal.mjs';

/** @import { Settings } from './data-folder.mjs' */
/** @import { Reply } from './requests.mjs' */

const beatInterval = Number(process.env.VESTIBULE_AGENT_BEAT_SECONDS ?? 60) * second;
const longestPause = 10 * 60 * second;

/** When records may be sent again: beyond the limit of a day, the service accepts only heartbeats until the next. */
let recordsFrom = 0;

/** Reports until the process is stopped or the computer is removed from the account. */
export async function run() {
  const settings = readSettings();
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => stop.abort());
  record('start', 'The agent was started.');
  say(`Reporting to ${settings.server}.`);
  const reportSuspension = openSuspensionReport();
  let failures = 0;
  while (!stop.signal.aborted) {
    recordChanges();
    const reply = await sendBatch(settings);
    if (reply.status === 401 && !isSuspended(reply))
      throw new UserError('This computer was removed from the account. To add it again, use a new code.');
    reportSuspension(reply);
    failures = reply.status >= 200 && reply.status < 300 ? 0 : failures + 1;
    const hasMore = failures === 0 && Date.now() >= recordsFrom && readSpool().length > 0;
    const wait = waitAfter(reply, failures);
    if (!hasMore) await pause(wait, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  record('stop', 'The agent was stopped.');
  await sendBatch(settings);
}

/** Sends a batch, and deletes it once the service has accepted it. Without one to send, it sends a heartbeat. */
async function sendBatch(/** @type {Settings} */ settings) {
  const spool = readSpool();
  const isPaused = Date.now() < recordsFrom;
  if (isPaused) dropOldest(spool);
  if (isPaused || spool.length === 0) return sendHeartbeat(settings);
  const { server, token } = settings;
  const batch = nextBatch(spool);
  const reply = await send('POST /computers/records', { server, token, body: { records: batch } });
  // 413 and 422 are permanent: retrying would block all later records.
  if ([202, 413, 422].includes(reply.status)) dropSent(batch);
  else dropOldest(spool);
  if (reply.status !== 429 || reply.retryAfter <= beatInterval) return reply;
  recordsFrom = Date.now() + reply.retryAfter;
  return sendHeartbeat(settings);
}

/** Exponential back-off with jitter, up to ten minutes, so that a thousand agents do not return at the same moment. */
const backOff = (/** @type {number} */ failures) =>
  Math.min(longestPause, beatInterval * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2);

/** In milliseconds. */
function waitAfter(/** @type {Reply} */ reply, /** @type {number} */ failures) {
  if (failures === 0) return beatInterval;
  return isSuspended(reply) ? 10 * beatInterval : Math.max(reply.retryAfter, backOff(failures));
}

/** Prints when the deletion of the account was planned, and when it was canceled. */
function openSuspensionReport() {
  let wasSuspended = false;
  return (/** @type {Reply} */ reply) => {
    // Without a response, nothing is known.
    if (reply.status === 0 || isSuspended(reply) === wasSuspended) return;
    wasSuspended = !wasSuspended;
    say(wasSuspended ? `${deletionPlanned} Reporting resumes if the owner cancels it.` : 'Reporting again.');
  };
}
