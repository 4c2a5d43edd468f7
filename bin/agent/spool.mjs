import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { folder, spoolFile, writeWhole } from './data-folder.mjs';
import { systemError, warn } from './terminal.mjs';

/** The service accepts 100 records and 16 KiB in one request. */
const batchRecords = 50;
const batchBytes = 12_000;
/** During a long outage of the service, the oldest records are dropped. */
const maxSpooled = 5000;

/**
 * A fact about this computer. The service stores each id once; `at` is ISO 8601.
 * @typedef {{ id: string, at: string, kind: string, text: string }} Fact
 */

/**
 * Records that could not be written, because the disk is full or read-only: they are sent from memory.
 * @type {Fact[]}
 */
let unwritten = [];
/** The ids of records that were sent, but are still in the file. */
const sent = new Set();
let isWritable = true;

const isFact = (/** @type {any} */ value) =>
  Boolean(value?.at) && [value.id, value.kind, value.text].every((part) => typeof part === 'string' && part !== '');

/**
 * The records in the file, without lines that kill -9, a full disk or a fault of the disk damaged.
 * @returns {Fact[] | undefined} Undefined if the file cannot be read.
 */
function readWritten() {
  let text = '';
  try {
    text = readFileSync(spoolFile, 'utf8');
  } catch (error) {
    return systemError(error) === 'ENOENT' ? [] : undefined;
  }
  return text.split('\n').flatMap((line) => {
    try {
      const fact = JSON.parse(line);
      return isFact(fact) ? [fact] : [];
    } catch {
      return [];
    }
  });
}

/** @returns {Fact[]} The unsent records, each once: a failed write may have stored one all the same. */
export function readSpool() {
  const all = [...(readWritten() ?? []), ...unwritten].filter(({ id }) => !sent.has(id));
  return [...new Map(all.map((fact) => [fact.id, fact])).values()];
}

/** Replaces the file, which also needs no space if nothing is left. A failure leaves everything in memory. */
function writeSpool(/** @type {Fact[]} */ facts) {
  try {
    if (facts.length === 0) rmSync(spoolFile, { force: true });
    else writeWhole(spoolFile, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));
    unwritten = [];
    sent.clear();
    if (facts.length > 0) noteWrite(undefined);
  } catch (error) {
    unwritten = unwritten.filter(({ id }) => !sent.has(id)).slice(-maxSpooled);
    noteWrite(error);
  }
}

/** Writes a record to disk before it is sent, with an id by which the service detects duplicates. */
export function record(/** @type {string} */ kind, /** @type {string} */ text) {
  const fact = { id: randomUUID(), at: new Date().toISOString(), kind, text };
  try {
    // The first line break ends a line that an earlier failure truncated.
    appendFileSync(spoolFile, `\n${JSON.stringify(fact)}\n`, { mode: 0o600, flush: true });
    noteWrite(undefined);
  } catch (error) {
    unwritten.push(fact);
    noteWrite(error);
  }
}

function noteWrite(/** @type {unknown} */ error) {
  if (isWritable === (error === undefined)) return;
  isWritable = !isWritable;
  warn(
    isWritable
      ? `Records can be written to ${folder} again.`
      : `No record can be written to ${folder} (${systemError(error)}): records are sent from memory.`,
  );
}

/** @returns {Fact[]} The oldest records, at most `most`, that fit into one request. */
export function nextBatch(/** @type {Fact[]} */ spool, most = batchRecords) {
  let bytes = 0;
  return spool.slice(0, Math.min(most, batchRecords)).filter((fact, index) => {
    bytes += Buffer.byteLength(JSON.stringify(fact));
    return index === 0 || bytes < batchBytes;
  });
}

/** Deletes records that the service has received. */
export function dropSent(/** @type {Fact[]} */ batch) {
  for (const { id } of batch) sent.add(id);
  if (readWritten()) writeSpool(readSpool());
  else unwritten = unwritten.filter(({ id }) => !sent.has(id));
}

export function dropOldest(/** @type {Fact[]} */ spool) {
  if (spool.length > maxSpooled) writeSpool(spool.slice(-maxSpooled));
}
