/** Bytes of a block, and of the 64 words into which its rounds expand it. */
const blockLength = 64;
const expandedLength = 4 * 64;
const lengthAt = blockLength - 8;

const isPrime = (candidate: number, smaller: readonly number[]): boolean =>
  smaller.every((prime) => candidate % prime > 0);

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1) if (isPrime(candidate, primes)) primes.push(candidate);
  return primes;
}

function wordsOf(values: readonly number[]): DataView {
  const words = new DataView(new ArrayBuffer(4 * values.length));
  for (const [at, value] of values.entries()) words.setInt32(4 * at, value);
  return words;
}

/** The constants of SHA-256 are the first 32 bits of the fractions of roots of primes (FIPS 180-4, 4.2.2 and 5.3.3). */
const fraction = (root: number): number => (root % 1) * 2 ** 32;
const primes = firstPrimes(64);
const roundConstants = wordsOf(primes.map((prime) => fraction(Math.cbrt(prime))));
const initialState = wordsOf(primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))));

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

const add = (state: DataView, at: number, word: number): void => state.setInt32(at, state.getInt32(at) + word);

/** Hashes the block at the start of `words` into the state (FIPS 180-4, 6.2.2). */
function compress(state: DataView, words: DataView): void {
  for (let at = blockLength; at < expandedLength; at += 4) {
    const old = words.getInt32(at - 60);
    const recent = words.getInt32(at - 8);
    const low = rotate(old, 7) ^ rotate(old, 18) ^ (old >>> 3);
    const high = rotate(recent, 17) ^ rotate(recent, 19) ^ (recent >>> 10);
    words.setInt32(at, words.getInt32(at - 64) + low + words.getInt32(at - 28) + high);
  }
  let a = state.getInt32(0);
  let b = state.getInt32(4);
  let c = state.getInt32(8);
  let d = state.getInt32(12);
  let e = state.getInt32(16);
  let f = state.getInt32(20);
  let g = state.getInt32(24);
  let h = state.getInt32(28);
  for (let at = 0; at < expandedLength; at += 4) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first =
      h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + roundConstants.getInt32(at) + words.getInt32(at);
    const second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  add(state, 0, a);
  add(state, 4, b);
  add(state, 8, c);
  add(state, 12, d);
  add(state, 16, e);
  add(state, 20, f);
  add(state, 24, g);
  add(state, 28, h);
}

const stateOf = (words: DataView): DataView => new DataView(words.buffer.slice(0));

/**
 * The first 32 bits of the SHA-256 of ASCII texts that begin with `prefix`. `crypto.subtle` takes ten times as long for
 * such short texts. Throws if the rest of a text does not fit into the prefix's last block.
 */
export function openHasher(prefix: string): (rest: string) => number {
  const encoder = new TextEncoder();
  const begun = stateOf(initialState);
  const words = new DataView(new ArrayBuffer(expandedLength));
  const block = new Uint8Array(words.buffer, 0, blockLength);
  const bytes = encoder.encode(prefix);
  const complete = bytes.length - (bytes.length % blockLength);
  for (let from = 0; from < complete; from += blockLength) {
    block.set(bytes.subarray(from, from + blockLength));
    compress(begun, words);
  }
  const last = bytes.subarray(complete);
  const state = stateOf(begun);
  const [reset, values] = [new Uint8Array(begun.buffer), new Uint8Array(state.buffer)];
  return (rest) => {
    const end = last.length + rest.length;
    if (end >= lengthAt) throw new Error('the text is too long');
    block.fill(0);
    block.set(last);
    encoder.encodeInto(rest, block.subarray(last.length));
    block[end] = 0x80;
    words.setUint32(blockLength - 4, 8 * (complete + end));
    values.set(reset);
    compress(state, words);
    return state.getUint32(0);
  };
}
