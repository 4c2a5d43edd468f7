import { createCipheriv, pbkdf2 as derivePbkdf2, scrypt as deriveScrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { verify } from '@node-rs/argon2';
import { equal } from './macs.ts';

type Parts = Readonly<Record<string, string | undefined>>;

/** A format in which other services store password hashes. */
interface Scheme {
  /** Pattern of its hashes, with named groups. */
  readonly form: RegExp;
  /** Whether verification with these parameters costs no more time and memory than we allow. */
  isBearable(parts: Parts): boolean;
  verify(parts: Parts, tried: { readonly hash: string; readonly password: string }): Promise<boolean>;
}

/** Decodes base64 as found in hashes: either alphabet, or a dot instead of the plus sign. */
const bytesOf = (text = ''): Buffer => Buffer.from(text.replaceAll('.', '+'), 'base64');

const maxKibibytes = 512 * 1024;

/** PHC string of any variant: `$argon2id$v=19$m=65536,t=3,p=4$salt$hash`. */
const argon2: Scheme = {
  form: /^\$argon2(?:id|i|d)\$(?:v=\d+\$)?m=(?<memory>\d{1,7}),t=(?<time>\d{1,3}),p=(?<lanes>\d{1,2})\$[\w+/]{11,}\$[\w+/]{16,}$/,
  isBearable: ({ memory, time, lanes }) => Number(memory) <= maxKibibytes && Number(time) <= 20 && Number(lanes) <= 16,
  verify: (_, { hash, password }) => verify(hash, password),
};

/** `$2b$12$` and 53 characters, including the older variants. Only the first 72 bytes of the password count. */
const bcrypt: Scheme = {
  form: /^\$2[aby]?\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
  isBearable: ({ cost }) => Number(cost) >= 4 && Number(cost) <= 14,
  /** In a worker thread: this is JavaScript, and would block the event loop for a quarter of a second. */
  verify: (_, { hash, password }) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./bcrypt-worker.ts', import.meta.url), { workerData: { hash, password } });
      worker.once('message', resolve);
      worker.once('error', reject);
    }),
};

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const maxBytes = 256 * 1024 * 1024;
const bytesFor = ({ N, r }: Cost) => 128 * N * r;
const isBearableScrypt = (cost: Cost) =>
  Object.values(cost).every((value) => value >= 1) && bytesFor(cost) <= maxBytes && cost.p <= 16;

const scryptOf = promisify<string, Buffer, number, object, Buffer>(deriveScrypt);
const scryptKey = (password: string, { salt, length, cost }: { salt: Buffer; length: number; cost: Cost }) =>
  scryptOf(password, salt, length, { ...cost, maxmem: 2 * bytesFor(cost) + 1024 * 1024 });

const costOf = ({ ln, r, p }: Readonly<Record<string, string | undefined>>): Cost => ({
  N: 2 ** Number(ln),
  r: Number(r),
  p: Number(p ?? 1),
});

/** PHC string: `$scrypt$ln=15,r=8,p=1$salt$hash`. */
const scrypt: Scheme = {
  form: /^\$scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),p=(?<p>\d{1,2})\$(?<salt>[\w+/.=-]+)\$(?<key>[\w+/.=-]{22,})$/,
  isBearable: (parts) => isBearableScrypt(costOf(parts)),
  async verify({ salt, key, ...parts }, { password }) {
    const right = bytesOf(key);
    return equal(await scryptKey(password, { salt: bytesOf(salt), length: right.length, cost: costOf(parts) }), right);
  },
};

/**
 * Firebase Authentication's variant: `$firebase-scrypt$ln=14,r=8,sep=…,key=…$salt$hash` with the project's memory cost,
 * rounds, salt separator and signer key. The hash is the signer key, encrypted with scrypt's output.
 */
const firebaseScrypt: Scheme = {
  form: /^\$firebase-scrypt\$ln=(?<ln>\d{1,2}),r=(?<r>\d{1,3}),sep=(?<separator>[\w+/=-]*),key=(?<signer>[\w+/=-]{22,})\$(?<salt>[\w+/=-]+)\$(?<key>[\w+/=-]{22,})$/,
  isBearable: (parts) => isBearableScrypt(costOf(parts)),
  async verify({ salt, separator, signer, key, ...parts }, { password }) {
    const salted = Buffer.concat([bytesOf(salt), bytesOf(separator)]);
    const derived = await scryptKey(password, { salt: salted, length: 32, cost: costOf(parts) });
    const cipher = createCipheriv('aes-256-ctr', derived, Buffer.alloc(16));
    return equal(Buffer.concat([cipher.update(bytesOf(signer)), cipher.final()]), bytesOf(key));
  },
};

const pbkdf2Key = promisify(derivePbkdf2);
const maxIterations = 2_000_000;
const isBearablePbkdf2: Scheme['isBearable'] = ({ iterations }) =>
  Number(iterations) >= 1 && Number(iterations) <= maxIterations;

/**
 * PHC's and passlib's format: `$pbkdf2-sha256$i=600000$salt$hash`, `$pbkdf2-sha512$25000$salt$hash`, `$pbkdf2$…` with
 * SHA-1.
 */
const pbkdf2: Scheme = {
  form: /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?:i=)?(?<iterations>\d{1,7})(?:,l=\d+)?\$(?<salt>[\w+/.=-]+)\$(?<key>[\w+/.=-]{22,})$/,
  isBearable: isBearablePbkdf2,
  async verify({ digest = 'sha1', iterations, salt, key }, { password }) {
    const right = bytesOf(key);
    return equal(await pbkdf2Key(password, bytesOf(salt), Number(iterations), right.length, digest), right);
  },
};

/** Django's format: `pbkdf2_sha256$600000$salt$hash`, with the salt as plain text. */
const djangoPbkdf2: Scheme = {
  form: /^pbkdf2_(?<digest>sha1|sha256)\$(?<iterations>\d{1,7})\$(?<salt>[^$]+)\$(?<key>[\w+/=]{22,})$/,
  isBearable: isBearablePbkdf2,
  async verify({ digest = 'sha256', iterations, salt = '', key }, { password }) {
    const right = bytesOf(key);
    return equal(await pbkdf2Key(password, salt, Number(iterations), right.length, digest), right);
  },
};

const schemes: readonly Scheme[] = [argon2, bcrypt, scrypt, firebaseScrypt, pbkdf2, djangoPbkdf2];

/** Prefix of a hash from another service: it lacks our pepper, and the first sign-in replaces it. */
const mark = 'imported:';
/** Marks an account imported without a hash: no password matches it, so the owner has to set one by recovery. */
export const noHash = `${mark}none`;

/** Whether some password can match the stored hash. */
export const isPassword = (hash: string): boolean => hash !== noHash;

const longestHash = 1000;

/** The stored form of a foreign hash; undefined if we cannot verify its scheme, or it would cost too much. */
export function importForeignHash(hash: string): string | undefined {
  if (hash.length > longestHash) return undefined;
  const known = schemes.some(({ form, isBearable }) => {
    const parts = form.exec(hash);
    return parts !== null && isBearable(parts.groups ?? {});
  });
  return known ? mark + hash : undefined;
}

/** A function that verifies a password against an imported hash; undefined if the hash is one of ours. */
export function foreignVerifier(kept: string): ((password: string) => Promise<boolean>) | undefined {
  if (!kept.startsWith(mark)) return undefined;
  const hash = kept.slice(mark.length);
  for (const { form, verify } of schemes) {
    const parts = form.exec(hash);
    if (parts) return (password) => verify(parts.groups ?? {}, { hash, password });
  }
  return async () => false;
}
