import { createHmac, randomBytes } from 'node:crypto';
import { equal } from './macs.ts';

const stepLength = 30_000;
const digits = 6;
/** Steps before and after the current one whose codes are accepted, because clocks differ (RFC 6238, section 5.2). */
const tolerance = 1;

/** 160 random bits, as RFC 4226 recommends. */
export const newTotpSecret = (): Buffer => randomBytes(20);

/** The time step (RFC 6238, section 4.2) of a time in milliseconds since the epoch. */
export const stepAt = (time: number): number => Math.floor(time / stepLength);

/** The code of a secret for one time step: HOTP with SHA-1 and six digits (RFC 4226, section 5.3). */
export function codeOf(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const truncated = mac.readUInt32BE((mac.at(-1) as number) & 0xf) & 0x7fffffff;
  return String(truncated % 10 ** digits).padStart(digits, '0');
}

/** The step whose code was given, at most one before or after the current one; undefined if the code is wrong. */
export function matchedStep(secret: Buffer, code: string, now: number): number | undefined {
  const current = stepAt(now);
  const steps = Array.from({ length: 2 * tolerance + 1 }, (_, at) => current - tolerance + at);
  // Compares with every code, so that the response time does not reveal which one matched.
  return steps.filter((step) => equal(Buffer.from(codeOf(secret, step)), Buffer.from(code))).at(0);
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 without padding (RFC 4648, section 6), as authenticator apps read it. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** The bytes of a base32 text, in any case and with spaces or padding; undefined if it is not base32. */
export function fromBase32(text: string): Buffer | undefined {
  const letters = text.toUpperCase().replace(/[\s=-]/g, '');
  const values = [...letters].map((letter) => alphabet.indexOf(letter));
  if (values.length === 0 || values.includes(-1)) return undefined;
  const bits = values.map((value) => value.toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

interface KeyUri {
  /** Base32. */
  readonly secret: string;
  readonly issuer: string;
  /** The account's email address. */
  readonly account: string;
}

/** The content of the QR code. The issuer is also a prefix of the label, for apps that read only one of them. */
export function keyUri({ secret, issuer, account }: KeyUri): string {
  const label = `${encodeURIComponent(issuer.replaceAll(':', ' '))}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}

/** Codes that an account gets together. */
const recoveryCodeCount = 10;

/** 50 random bits each, as two groups of five letters and digits. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => base32(randomBytes(7)).slice(0, 10)).map((letters) =>
    `${letters.slice(0, 5)}-${letters.slice(5)}`.toLowerCase(),
  );

/** The stored form of a code: a keyed hash, bound to the account. Case and everything but letters and digits are ignored. */
export function macOfRecoveryCode(key: Buffer, accountId: string, code: string): string {
  // People confuse these, and base32 has neither of the digits.
  const letters = code
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('0', 'o')
    .replaceAll('1', 'l');
  return createHmac('sha256', key).update(`recovery code!${accountId}!${letters}`).digest('base64url');
}
