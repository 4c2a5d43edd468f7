import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/**
 * The stored form of a call's digits, or of an email's secret or code, bound to the id of the request for it. Four
 * digits have no entropy, so the hash is keyed: someone who reads the table cannot try them out.
 */
export const macOfCode = (key: Buffer, id: string, code: string): string =>
  createHmac('sha256', key).update(`phone proof!${id.length}!${id}!${code}`).digest('base64url');

/** Whether one of `keys` made the MAC for this id and code. */
export const isMacOfCode = (
  keys: readonly Buffer[],
  proof: string,
  { id, code }: { id: string; code: string },
): boolean => keys.some((key) => equal(Buffer.from(macOfCode(key, id, code)), Buffer.from(proof)));

interface Owner {
  readonly accountId: string;
  readonly email: string;
}

/** A secret that only an email to the account's address contains: a signed-in user who knows it reads that email. */
export const writeEmailProof = (key: Buffer, { accountId, email }: Owner): string =>
  createHmac('sha256', key).update(`email proof!${accountId.length}!${accountId}!${email}`).digest('base64url');

/** Whether one of `keys` made the proof for this account and address. */
export const isEmailProof = (keys: readonly Buffer[], proof: string, owner: Owner): boolean =>
  keys.some((key) => equal(Buffer.from(writeEmailProof(key, owner)), Buffer.from(proof)));

const mac = (key: Buffer, call: string) => createHmac('sha256', key).update(`phone confirmation!${call}`).digest();

/** A token for the registration: the id of the confirmed call, and a MAC as proof that this browser confirmed it. */
export const writeConfirmation = (key: Buffer, call: string): string =>
  `${call}.${mac(key, call).toString('base64url')}`;

/** The id of the call that a confirmation is for, or undefined if none of `keys` wrote it. */
export function readConfirmation(keys: readonly Buffer[], text: string): string | undefined {
  const [call = '', tag = '', ...more] = text.split('.');
  if (more.length > 0) return undefined;
  const bytes = Buffer.from(tag, 'base64url');
  return keys.some((key) => equal(mac(key, call), bytes)) ? call : undefined;
}

/** Derives a key of 256 bits for one purpose (HKDF, RFC 5869): its signatures are worthless for another purpose. */
export const subkey = (key: Buffer, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', `vestibule ${purpose}`, 32));

/** A random value of `bits` bits in base64url, for a URL, a cookie or an identifier. */
export const randomSecret = (bits: number): string => randomBytes(bits / 8).toString('base64url');

const bufferSize = 4096;
let made = Buffer.alloc(0);
let used = 0;

/** A few random bytes per request, from a buffer: one call of `randomBytes` costs as much for five as for thousands. */
export function randomFew(count: number): Buffer {
  if (used + count > made.length) {
    made = randomBytes(bufferSize);
    used = 0;
  }
  used += count;
  return made.subarray(used - count, used);
}

/** The stored form of a random secret: a leaked table opens nothing (the input has full entropy, so no salt). */
export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url');

/** Compares in constant time. */
export const equal = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);

/** The stored form of a client's secret. The id makes equal secrets of two clients differ. */
export const clientSecretHash = (clientId: string, secret: string): string => sha256(`${clientId}:${secret}`);

/** Encrypts keys for the database with AES-256-GCM; without a secret, it stores them in plain text. */
export type KeyEncryption = ReturnType<typeof openKeyEncryption>;

const nonceBytes = 12;
const tagBytes = 16;

/** `previous`: the former secret, which also opens while an operator replaces it. */
export function openKeyEncryption(operatorSecret: string | undefined, previous?: string) {
  const current = keyFrom(operatorSecret);
  const former = keyFrom(previous);
  let seals = current;
  const isSealedWith = (key: Buffer | undefined, sealed: string) => {
    try {
      return sealed.startsWith('plain.') === (key === undefined) && openWith(key, sealed).length >= 0;
    } catch {
      return false;
    }
  };
  return {
    /** Seals with the present secret, or with the previous one while `follow` says so. */
    seal: (secret: Buffer): string => sealWith(seals, secret),
    sealCurrent: (secret: Buffer): string => sealWith(current, secret),
    /** Throws if `sealed` was encrypted with another secret. */
    open: (sealed: string): Buffer => openWith(former && isSealedWith(former, sealed) ? former : current, sealed),
    /** Whether the present secret sealed it. */
    isCurrent: (sealed: string): boolean => isSealedWith(current, sealed),
    /**
     * From now on, seals with the secret that sealed this. While an operator replaces the secret, every node follows the
     * newest key, so that none seals what another cannot open.
     */
    follow(sealed: string): void {
      seals = former && isSealedWith(former, sealed) ? former : current;
    },
  };
}

const keyFrom = (secret: string | undefined): Buffer | undefined =>
  secret ? Buffer.from(hkdfSync('sha256', secret, '', 'vestibule key box', 32)) : undefined;

function sealWith(key: Buffer | undefined, secret: Buffer): string {
  if (!key) return `plain.${secret.toString('base64url')}`;
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return `gcm.${sealed.toString('base64url')}`;
}

function openWith(key: Buffer | undefined, sealed: string): Buffer {
  const [kind, text = ''] = sealed.split('.');
  const bytes = Buffer.from(text, 'base64url');
  if (kind === 'plain') return bytes;
  if (kind !== 'gcm' || !key) throw new Error('the keys in the database are encrypted, but SECRET_KEY is not set');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}
