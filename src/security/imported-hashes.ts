import { createCipheriv, createHash, createHmac, pbkdf2 as derivePbkdf2, scrypt as deriveScrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { verify } from '@node-rs/argon2';
import { phpassRounds, shaCryptForm } from './crypt-hashes.ts';
import { equal } from './macs.ts';

type Parts = Readonly<Record<string, string | undefined>>;

/** A format in which other services store password hashes. */
interface Scheme {
  /** Its name and an example, for a refusal of a hash that only begins like it. */
  readonly name: string;
  readonly begins: RegExp;
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
  name: 'argon2: $argon2id$v=19$m=65536,t=3,p=4$salt$hash',
  begins: /^\$argon2/,
  form: /^\$argon2(?:id|i|d)\$(?:v=\d+\$)?m=(?<memory>\d{1,7}),t=(?<time>\d{1,3}),p=(?<lanes>\d{1,2})\$[\w+/]{11,}={0,2}\$[\w+/]{16,}={0,2}$/,
  isBearable: ({ memory, time, lanes }) => Number(memory) <= maxKibibytes && Number(time) <= 20 && Number(lanes) <= 16,
  // The library accepts no padding, which Java and .NET write.
  verify: (_, { hash, password }) => verify(hash.replaceAll(/=+(?=\$|$)/g, ''), password),
};

/** In a worker thread: this is JavaScript, and would block the event loop for a quarter of a second. */
const verifyInWorker = (hash: string, password: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./foreign-hash-worker.ts', import.meta.url), { workerData: { hash, password } });
    worker.once('message', resolve);
    worker.once('error', reject);
  });

const isBearableBcrypt: Scheme['isBearable'] = ({ cost }) => Number(cost) >= 4 && Number(cost) <= 14;

/** `$2b$12$` and 53 characters, including the older variants. Only the first 72 bytes of the password count. */
const bcrypt: Scheme = {
  name: 'bcrypt: $2b$12$ and 53 characters',
  begins: /^\$2/,
  form: /^\$2[abxy]?\$(?<cost>\d\d)\$[./A-Za-z0-9]{53}$/,
  isBearable: isBearableBcrypt,
  verify: (_, { hash, password }) => verifyInWorker(hash, password),
};

/** Django's `BCryptSHA256PasswordHasher`: bcrypt of a hexadecimal digest. */
const djangoBcrypt: Scheme = {
  name: 'bcrypt of Django: bcrypt_sha256$$2b$12$ and 53 characters',
  begins: /^bcrypt_sha256/,
  form: /^bcrypt_sha256\$(?<hash>\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53})$/,
  isBearable: isBearableBcrypt,
  verify: ({ hash = '' }, { password }) => verifyInWorker(hash, createHash('sha256').update(password).digest('hex')),
};

/** As PHP's `trim`, which WordPress applies to passwords. */
const trimmedByPhp = (password: string): string => password.replaceAll(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '');

/** WordPress 6.8: bcrypt of a MAC. */
const wordpressBcrypt: Scheme = {
  name: 'bcrypt of WordPress: $wp$2y$10$ and 53 characters',
  begins: /^\$wp/,
  form: /^\$wp(?<hash>\$2[aby]\$(?<cost>\d\d)\$[./A-Za-z0-9]{53})$/,
  isBearable: isBearableBcrypt,
  verify: ({ hash = '' }, { password }) =>
    verifyInWorker(hash, createHmac('sha384', 'wp-sha384').update(trimmedByPhp(password)).digest('base64')),
};

/** WordPress before 6.8, and phpBB. */
const portable: Scheme = {
  name: 'phpass: $P$ and 31 characters',
  begins: /^\$[PH]\$/,
  form: /^\$[PH]\$(?<rounds>[./A-Za-z0-9])[./A-Za-z0-9]{30}$/,
  isBearable: ({ rounds = '' }) => phpassRounds(rounds) >= 7 && phpassRounds(rounds) <= 18,
  verify: (_, { hash, password }) => verifyInWorker(hash, trimmedByPhp(password)),
};

/** Of Linux, and of LDAP servers as `{CRYPT}`. */
const unixCrypt: Scheme = {
  name: 'SHA-crypt: $6$salt$hash, $5$salt$hash',
  begins: /^\$[56]\$/,
  form: shaCryptForm,
  isBearable: ({ rounds, kind, key = '' }) => Number(rounds ?? 0) <= 200_000 && key.length === (kind === '5' ? 43 : 86),
  verify: (_, { hash, password }) => verifyInWorker(hash, password),
};

/** Salted digests of LDAP servers: `{SSHA}` and base64 of the digest and the salt. */
const ldap: Scheme = {
  name: 'a salted digest: {SSHA}, {SSHA256}, {SSHA384}, {SSHA512} or {SMD5}, and base64',
  begins: /^\{S(?:SHA|MD5)/i,
  form: /^\{(?<digest>SSHA(?:256|384|512)?|SMD5)\}(?<data>[\w+/]+={0,2})$/i,
  isBearable: ({ digest, data }) => bytesOf(data).length > ldapDigest(digest).bytes,
  async verify({ digest, data }, { password }) {
    const { name, bytes } = ldapDigest(digest);
    const given = bytesOf(data);
    const made = createHash(name).update(password).update(given.subarray(bytes)).digest();
    return equal(made, given.subarray(0, bytes));
  },
};

function ldapDigest(scheme = ''): { name: string; bytes: number } {
  const bits = /\d{3}$/.exec(scheme)?.[0];
  if (/MD5/i.test(scheme)) return { name: 'md5', bytes: 16 };
  return bits ? { name: `sha${bits}`, bytes: Number(bits) / 8 } : { name: 'sha1', bytes: 20 };
}

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

/** Ory Kratos writes N itself, where the format has its logarithm. */
const costOf = ({ ln, n, r, p }: Parts): Cost => ({
  N: n === undefined && Number(ln) < 32 ? 2 ** Number(ln) : Number(n ?? ln),
  r: Number(r),
  p: Number(p ?? 1),
});

/** PHC string: `$scrypt$ln=15,r=8,p=1$salt$hash`. */
const scrypt: Scheme = {
  name: 'scrypt: $scrypt$ln=15,r=8,p=1$salt$hash',
  begins: /^\$scrypt/,
  form: /^\$scrypt\$ln=(?<ln>\d{1,7}),r=(?<r>\d{1,3}),p=(?<p>\d{1,2})\$(?<salt>[\w+/.=-]+)\$(?<key>[\w+/.=-]{22,})$/,
  isBearable: (parts) => isBearableScrypt(costOf(parts)),
  async verify({ salt, key, ...parts }, { password }) {
    const right = bytesOf(key);
    return equal(await scryptKey(password, { salt: bytesOf(salt), length: right.length, cost: costOf(parts) }), right);
  },
};

const isBearablePower = (parts: Parts) => Math.log2(costOf(parts).N) % 1 === 0 && isBearableScrypt(costOf(parts));

/** scrypt with a salt that is text: of Django, Werkzeug (Flask) and Better Auth. */
const textScrypt = (name: string, begins: RegExp, form: RegExp): Scheme => ({
  name,
  begins,
  form,
  isBearable: (parts) => isBearablePower({ ...betterAuth, ...parts }),
  async verify({ salt = '', key, hex, ...parts }, { password }) {
    const right = hex ? Buffer.from(hex, 'hex') : bytesOf(key);
    const cost = costOf({ ...betterAuth, ...parts });
    const typed = parts.n === undefined ? password.normalize('NFKC') : password;
    return equal(await scryptKey(typed, { salt: Buffer.from(salt), length: right.length, cost }), right);
  },
});

/** Its parameters, which are not in the hash. */
const betterAuth = { ln: '14', r: '16', p: '1' };

const scryptsWithText: readonly Scheme[] = [
  textScrypt(
    'scrypt of Django: scrypt$16384$salt$8$1$hash',
    /^scrypt\$/,
    /^scrypt\$(?<n>\d{1,7})\$(?<salt>[^$]+)\$(?<r>\d{1,3})\$(?<p>\d{1,2})\$(?<key>[\w+/]{22,}={0,2})$/,
  ),
  textScrypt(
    'scrypt of Werkzeug: scrypt:32768:8:1$salt$hash',
    /^scrypt:/,
    /^scrypt:(?<n>\d{1,7}):(?<r>\d{1,3}):(?<p>\d{1,2})\$(?<salt>[^$]+)\$(?<hex>[\da-f]{64,})$/,
  ),
  textScrypt(
    'scrypt of Better Auth: 32 and 128 hexadecimal digits with a colon between them',
    /^[\da-f]{32}:/,
    /^(?<salt>[\da-f]{32}):(?<hex>[\da-f]{128})$/,
  ),
];

/**
 * Firebase Authentication's variant: `$firebase-scrypt$ln=14,r=8,sep=…,key=…$salt$hash` with the project's memory cost,
 * rounds, salt separator and signer key. The hash is the signer key, encrypted with scrypt's output.
 */
const firebaseScrypt: Scheme = {
  name: 'scrypt of Firebase: $firebase-scrypt$ln=14,r=8,sep=Bw==,key=SIGNERKEY$salt$hash',
  begins: /^\$firebase/,
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
  name: 'PBKDF2: $pbkdf2-sha256$i=600000$salt$hash',
  begins: /^\$pbkdf2/,
  form: /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?:i=)?(?<iterations>\d{1,7})(?:,l=\d+)?\$(?<salt>[\w+/.=-]+)\$(?<key>[\w+/.=-]{22,})$/,
  isBearable: isBearablePbkdf2,
  async verify({ digest = 'sha1', iterations, salt, key }, { password }) {
    const right = bytesOf(key);
    return equal(await pbkdf2Key(password, bytesOf(salt), Number(iterations), right.length, digest), right);
  },
};

/** Django's format `pbkdf2_sha256$600000$salt$hash`, and Werkzeug's; the salt is text. */
const textPbkdf2: Scheme = {
  name: 'PBKDF2 of Django: pbkdf2_sha256$600000$salt$hash',
  begins: /^pbkdf2[_:]/,
  form: /^pbkdf2[_:](?<digest>sha1|sha256|sha512)[$:](?<iterations>\d{1,7})\$(?<salt>[^$]+)\$(?:(?<hex>[\da-f]{40}|[\da-f]{64}|[\da-f]{128})|(?<key>[\w+/]{22,}={0,2}))$/,
  isBearable: isBearablePbkdf2,
  async verify({ digest = 'sha256', iterations, salt = '', key, hex }, { password }) {
    const right = hex ? Buffer.from(hex, 'hex') : bytesOf(key);
    return equal(await pbkdf2Key(password, salt, Number(iterations), right.length, digest), right);
  },
};

/** ASP.NET Core Identity, version 3: base64 of 1, function, iterations, salt length, salt, key. Version 2: 0, salt, key. */
const aspnet: Scheme = {
  name: 'ASP.NET Identity: base64 that begins with AQAAAA or AA',
  begins: /^A[A-PQ][\w+/]+={0,2}$/,
  form: /^(?<data>AQAAAA[\w+/]{60,}={0,2}|A[A-P][\w+/]{64}==)$/,
  isBearable: ({ data }) => isBearablePbkdf2({ iterations: String(partsOfAspnet(data).iterations) }),
  async verify({ data }, { password }) {
    const { digest, iterations, salt, key } = partsOfAspnet(data);
    return equal(await pbkdf2Key(password, salt, iterations, key.length, digest), key);
  },
};

function partsOfAspnet(data: string | undefined) {
  const bytes = bytesOf(data);
  if (bytes[0] === 0) return { digest: 'sha1', iterations: 1000, salt: bytes.subarray(1, 17), key: bytes.subarray(17) };
  const digest = ['sha1', 'sha256', 'sha512'][bytes.readUInt32BE(1)];
  const afterSalt = 13 + bytes.readUInt32BE(9);
  const [salt, key] = [bytes.subarray(13, afterSalt), bytes.subarray(afterSalt)];
  const isWhole = digest !== undefined && salt.length >= 8 && key.length >= 16;
  return { digest: digest ?? 'sha1', iterations: isWhole ? bytes.readUInt32BE(5) : 0, salt, key };
}

const schemes: readonly Scheme[] = [
  ...[argon2, bcrypt, djangoBcrypt, wordpressBcrypt, portable, unixCrypt, ldap],
  ...[scrypt, ...scryptsWithText, firebaseScrypt, pbkdf2, textPbkdf2, aspnet],
];

/** Other spellings of the same hashes, by Django and by LDAP servers. */
const spellings: readonly (readonly [RegExp, string])[] = [
  [/^\{(?:CRYPT|BCRYPT|ARGON2|SSHA-?CRYPT)\}/i, ''],
  [/^bcrypt\$(?=\$2)/, ''],
  [/^argon2(?=\$argon2)/, ''],
  [/^\{PBKDF2(?:-SHA1)?\}/i, '$pbkdf2$'],
  [/^\{PBKDF2-SHA(256|512)\}/i, '$pbkdf2-sha$1$'],
];

/** What services store for an account on which nobody can sign in with a password: Django, crypt(3), LDAP. */
const unusable = /^(?:$|[!*]|\{SASL\})/;

/** Why a hash cannot be imported although it is common. */
const known: readonly (readonly [RegExp, string])[] = [
  [/^(?:[\da-f]{32}|[\da-f]{40}|[\da-f]{64}|[\da-f]{128})$/i, 'a plain digest without a salt'],
  [/^\{(?:SHA(?:256|384|512)?|MD5)\}/i, 'a plain digest without a salt'],
  [/^\{(?:CLEARTEXT|PLAIN)\}/i, 'a password, and not its hash'],
  [/^\$(?:1|apr1)\$/, 'MD5-crypt'],
  [/^\$(?:y|gy|7)\$/, 'yescrypt'],
];

/** Prefix of a hash from another service: it lacks our pepper, and the first sign-in replaces it. */
const mark = 'imported:';
/** Marks an account imported without a hash: no password matches it, so the owner has to set one by recovery. */
export const noHash = `${mark}none`;

/** Whether some password can match the stored hash. */
export const isPassword = (hash: string): boolean => hash !== noHash;

interface PasswordDates {
  readonly password_hash: string;
  readonly password_changed_at: number;
  readonly created_at: number;
}

/** Whether an account was added without a password, and has never had one. */
export const neverHadPassword = ({ password_hash, password_changed_at, created_at }: PasswordDates): boolean =>
  !isPassword(password_hash) && password_changed_at === created_at;

const longestHash = 1000;

/**
 * The stored form of a foreign hash, or why we do not accept it: because we cannot verify its scheme, or because it would
 * cost too much. A reason contains no more than the prefix of the hash.
 */
export function importForeignHash(given: string): { readonly kept: string } | { readonly refused: string } {
  const hash = spellings.reduce((text, [from, to]) => text.replace(from, to), given.trim());
  if (unusable.test(hash)) return { kept: noHash };
  if (hash.length > longestHash) return { refused: `not a hash: longer than ${longestHash} characters` };
  for (const { form, isBearable, name } of schemes) {
    const parts = form.exec(hash);
    if (!parts) continue;
    if (isBearable(parts.groups ?? {})) return { kept: mark + hash };
    return { refused: `${prefixOf(hash)} would take too much time or memory, or is incomplete (${name})` };
  }
  const reason = known.find(([form]) => form.test(hash))?.[1];
  if (reason) return { refused: `${prefixOf(hash)} is ${reason}, which is not accepted` };
  const near = schemes.find(({ begins }) => begins.test(hash));
  if (near) return { refused: `${prefixOf(hash)} is not complete; expected ${near.name}` };
  return { refused: `not a supported hash: ${prefixOf(hash)}` };
}

/** The characters that name the scheme: never those of salt, key or an unknown hash. */
function prefixOf(hash: string): string {
  const prefix =
    /^\{[\w-]{1,20}\}|^\$[\w-]{1,20}\$(?:(?:[a-z]+=)?\d{1,7}(?:,[a-z]=\d{1,7})*\$)?|^[a-z][\w]{2,20}[$:]/.exec(
      hash,
    )?.[0];
  return prefix ? `${prefix}…` : `${hash.length} characters without a known prefix`;
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
