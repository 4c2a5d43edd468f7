import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { spoolFile, writeWhole } from './data-folder.mjs';

/** The service accepts 100 records and 16 KiB in one request. */
const batchRecords = 50;
const batchBytes = 12_000;
/** During a long outage of the service, the oldest records are dropped. */
const maxSpooled = 5000;

/**
 * A fact about this computer. The service stores each id once; `at` is ISO 8601.
 * @typedef {{ id: string, at: string, kind: string, text: string }} Fact
 */

/** @returns {Fact[]} The unsent records, without a last line that kill -9 truncated. */
export function readSpool() {
  if (!existsSync(spoolFile)) return [];
  return readFileSync(spoolFile, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

const writeSpool = (/** @type {Fact[]} */ facts) =>
  writeWhole(spoolFile, facts.map((fact) => `${JSON.stringify(fact)}\n`).join(''));

/** Writes a record to disk before it is sent, with an id by which the service detects duplicates. */
export function record(/** @type {string} */ kind, /** @type {string} */ text) {
  const fact = { id: randomUUID(), at: new Date().toISOString(), kind, text };
  appendFileSync(spoolFile, `${JSON.stringify(fact)}\n`, { mode: 0o600, flush: true });
}

/** @returns {Fact[]} The oldest records that fit into one request. */
export function nextBatch(/** @type {Fact[]} */ spool) {
  let bytes = 0;
  return spool.slice(0, batchRecords).filter((fact, index) => {
    bytes += Buffer.byteLength(JSON.stringify(fact));
    return index === 0 || bytes < batchBytes;
  });
}

/** Deletes records that the service has received. */
export function dropSent(/** @type {Fact[]} */ batch) {
  const sent = new Set(batch.map(({ id }) => id));
  writeSpool(readSpool().filter(({ id }) => !sent.has(id)));
}

export function dropOldest(/** @type {Fact[]} */ spool) {
  if (spool.length > maxSpooled) writeSpool(spool.slice(-maxSpooled));
}
