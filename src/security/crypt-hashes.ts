import { createHash } from 'node:crypto';

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Base64 of crypt(3): the lowest six bits come first. */
function sixBits(value: number, letters: number): string {
  let [rest, text] = [value, ''];
  for (let at = 0; at < letters; at += 1) {
    text += alphabet[rest & 63];
    rest >>>= 6;
  }
  return text;
}

/** The binary logarithm of the rounds in a phpass hash. */
export const phpassRounds = (letter: string): number => alphabet.indexOf(letter);

/** Portable hashes of phpass, as WordPress and phpBB store them: `$P$`, a letter for the rounds, salt, hash. */
export function phpass(password: string, hash: string): string {
  const setting = hash.slice(0, 12);
  const typed = Buffer.from(password);
  const digest = (...parts: readonly (Buffer | string)[]) =>
    parts.reduce((md5, part) => md5.update(part), createHash('md5')).digest();
  let key = digest(setting.slice(4), typed);
  for (let left = 2 ** phpassRounds(setting[3] as string); left > 0; left -= 1) key = digest(key, typed);
  let text = '';
  for (let at = 0; at < key.length; at += 3) {
    const [low = 0, middle = 0, high = 0] = key.subarray(at, at + 3);
    text += sixBits(low | (middle << 8) | (high << 16), key.length - at < 3 ? 2 : 4);
  }
  return setting + text;
}

/** In which order the bytes of a hash are written, three in four letters. */
const orders = {
  sha256: [
    [0, 10, 20],
    [21, 1, 11],
    [12, 22, 2],
    [3, 13, 23],
    [24, 4, 14],
    [15, 25, 5],
    [6, 16, 26],
    [27, 7, 17],
    [18, 28, 8],
    [9, 19, 29],
  ],
  sha512: Array.from({ length: 21 }, (_, at) => {
    const three = [at, at + 21, at + 42];
    return [0, 1, 2].map((place) => three[(place + at) % 3] as number);
  }),
} as const;

const defaultRounds = 5000;
const leastRounds = 1000;

export const shaCryptForm =
  /^\$(?<kind>[56])\$(?:rounds=(?<rounds>\d{1,7})\$)?(?<salt>[^$]{0,16})\$(?<key>[./A-Za-z0-9]{43}|[./A-Za-z0-9]{86})$/;

/** `$5$` and `$6$` of crypt(3), after Ulrich Drepper's "Unix crypt using SHA-256 and SHA-512". */
export function shaCrypt(password: string, hash: string): string {
  const { kind, rounds, salt: written = '' } = shaCryptForm.exec(hash)?.groups ?? {};
  const name = kind === '5' ? 'sha256' : 'sha512';
  const typed = Buffer.from(password);
  const salt = Buffer.from(written);
  const digest = (parts: readonly Buffer[]) => parts.reduce((sha, part) => sha.update(part), createHash(name)).digest();
  const repeated = (block: Buffer, length: number) =>
    Buffer.concat(Array.from({ length: Math.ceil(length / block.length) }, () => block)).subarray(0, length);
  const alternate = digest([typed, salt, typed]);
  const bits = typed.length === 0 ? [] : [...typed.length.toString(2)].reverse();
  let key = digest([
    typed,
    salt,
    repeated(alternate, typed.length),
    ...bits.map((bit) => (bit === '1' ? alternate : typed)),
  ]);
  const typedBytes = repeated(digest(Array.from({ length: typed.length }, () => typed)), typed.length);
  const saltBytes = repeated(digest(Array.from({ length: 16 + (key[0] as number) }, () => salt)), salt.length);
  const count = rounds === undefined ? defaultRounds : Math.max(leastRounds, Number(rounds));
  for (let round = 0; round < count; round += 1) {
    const isOdd = round % 2 === 1;
    key = digest([
      isOdd ? typedBytes : key,
      ...(round % 3 === 0 ? [] : [saltBytes]),
      ...(round % 7 === 0 ? [] : [typedBytes]),
      isOdd ? key : typedBytes,
    ]);
  }
  const byte = (at: number) => key[at] as number;
  const threes = orders[name].map(([high, middle, low]) =>
    sixBits(((byte(high as number) << 16) | (byte(middle as number) << 8) | byte(low as number)) >>> 0, 4),
  );
  const rest = kind === '5' ? sixBits((byte(31) << 8) | byte(30), 3) : sixBits(byte(63), 2);
  return `${hash.slice(0, hash.lastIndexOf('$') + 1)}${threes.join('')}${rest}`;
}
