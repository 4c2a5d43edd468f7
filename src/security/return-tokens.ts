import { createHmac } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { equal } from './macs.ts';

// Base 32 with lower-case letters: a server may change the case of an address, but not these characters.
const digitsOfId = 26;
const digitsOfProof = 16;
const bytesOfProof = 10;
const form = new RegExp(`^[0-9a-v]{${digitsOfId + digitsOfProof}}$`);

/** Length of a token in characters. */
export const returnTokenLength = digitsOfId + digitsOfProof;

/**
 * A token for an email's return path: it identifies the email by its id, a UUID, and cannot be forged without the key.
 */
export function writeReturnToken(key: Buffer, emailId: string): string {
  const id = BigInt(`0x${emailId.replaceAll('-', '')}`)
    .toString(32)
    .padStart(digitsOfId, '0');
  return id + proofOf(key, emailId);
}

/** The id of the email that a token identifies; undefined if none of `keys` made it. */
export function readReturnToken(keys: readonly Buffer[], token: string): string | undefined {
  const lower = token.toLowerCase();
  if (!form.test(lower)) return undefined;
  const hex = [...lower.slice(0, digitsOfId)]
    .reduce((value, digit) => value * 32n + BigInt(Number.parseInt(digit, 32)), 0n)
    .toString(16)
    .padStart(32, '0');
  const emailId = [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => hex.slice(from, to)).join('-');
  const proof = Buffer.from(lower.slice(digitsOfId));
  return keys.some((key) => equal(Buffer.from(proofOf(key, emailId)), proof)) ? emailId : undefined;
}

function proofOf(key: Buffer, emailId: string): string {
  const proof = createHmac('sha256', key).update(`returned letter!${emailId}`).digest();
  return BigInt(`0x${proof.subarray(0, bytesOfProof).toString('hex')}`)
    .toString(32)
    .padStart(digitsOfProof, '0');
}

/** The state that a browser carries from an application's host to ours and back. */
export interface ForwardAuthState {
  readonly client: string;
  /** The origin of the application. */
  readonly origin: string;
  /** The path on that origin that the browser wanted. */
  readonly place: string;
  /** SHA-256 of the cookie that the browser has on the application's host. */
  readonly nonceHash: string;
  readonly at: number;
}

const mac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const isSigned = (keys: readonly Buffer[], text: string, tag: string): boolean => {
  const given = Buffer.from(tag, 'base64url');
  return keys.some((key) => equal(mac(key, text), given));
};

const stateText = (payload: string) => `forward auth state!${payload}`;

/** Characters up to which a text stays as it is. */
const shortText = 2000;

/** A text for an address, compressed if it is long: many proxies refuse addresses beyond 8 kB. */
export const packText = (text: string): string =>
  text.length <= shortText ? text : `z${deflateRawSync(text).toString('base64url')}`;

/** The text that was packed; empty if it is longer than `longest` or was not packed. */
export function unpackText(packed: string, longest: number): string {
  if (!packed.startsWith('z')) return packed;
  try {
    return inflateRawSync(Buffer.from(packed.slice(1), 'base64url'), { maxOutputLength: longest }).toString();
  } catch {
    return '';
  }
}

export function writeForwardAuthState(key: Buffer, state: ForwardAuthState): string {
  const text = JSON.stringify(state);
  const packed = packText(text);
  const payload = packed === text ? Buffer.from(text).toString('base64url') : packed;
  return `${payload}.${mac(key, stateText(payload)).toString('base64url')}`;
}

/** Bytes: the longest address, whose signs JSON may escape, and everything else. */
const longestState = 64 * 1024;

/** Undefined unless one of `keys` wrote it. */
export function readForwardAuthState(keys: readonly Buffer[], text: string): ForwardAuthState | undefined {
  const [, payload = '', tag = ''] = /^([\w-]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (payload === '' || !isSigned(keys, stateText(payload), tag)) return undefined;
  const isPacked = payload.startsWith('z');
  return JSON.parse(isPacked ? unpackText(payload, longestState) : Buffer.from(payload, 'base64url').toString());
}

/** A session on one host of one application: its cookie is worthless anywhere else. */
interface ForwardAuthCookie {
  readonly client: string;
  readonly origin: string;
  readonly sessionId: string;
}

const cookieText = ({ client, origin, sessionId }: ForwardAuthCookie) =>
  `forward auth cookie!${client}!${origin}!${sessionId}`;

export const writeForwardAuthCookie = (key: Buffer, cookie: ForwardAuthCookie): string =>
  `${cookie.sessionId}.${mac(key, cookieText(cookie)).toString('base64url')}`;

/** The session that a cookie names; undefined unless one of `keys` wrote it for this client and origin. */
export function readForwardAuthCookie(
  keys: readonly Buffer[],
  { client, origin, text }: Omit<ForwardAuthCookie, 'sessionId'> & { readonly text: string },
): string | undefined {
  const [, sessionId = '', tag = ''] = /^([\w-]{22})\.([\w-]{43})$/.exec(text) ?? [];
  return sessionId !== '' && isSigned(keys, cookieText({ client, origin, sessionId }), tag) ? sessionId : undefined;
}
