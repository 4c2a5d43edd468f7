import { createHmac, createPublicKey, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { BoundedMap } from '../runtime/bounded-map.ts';
import { equal, randomFew } from './macs.ts';

/** Claims of an access token (RFC 9068). Times are seconds since the epoch. */
interface AccessClaims {
  readonly iss: string;
  readonly aud: string;
  readonly sub: string;
  readonly sid: string;
  readonly iat: number;
  readonly exp: number;
  readonly jti: string;
  /** When and how the user last proved who they are (RFC 9068, section 2.2.1). A refresh keeps them. */
  readonly auth_time: number;
  readonly amr: readonly string[];
  readonly acr: string;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Times in milliseconds since the epoch, `lifetime` in milliseconds. */
interface Claims {
  readonly issuer: string;
  readonly accountId: string;
  readonly sessionId: string;
  readonly authTime: number;
  readonly amr: readonly string[];
  readonly acr: string;
  readonly now: number;
  readonly lifetime: number;
}

/**
 * Signs an access token with ES256. Synchronous on purpose: jose and WebCrypto sign in the thread pool,
 * where a flood of password hashes would make every refresh wait.
 */
export function signAccessToken(key: SigningKey, claims: Claims): string {
  const issuedAt = Math.floor(claims.now / 1000);
  const payload: AccessClaims = {
    iss: claims.issuer,
    aud: claims.issuer,
    sub: claims.accountId,
    sid: claims.sessionId,
    iat: issuedAt,
    exp: issuedAt + Math.floor(claims.lifetime / 1000),
    jti: randomUUID(),
    auth_time: Math.floor(claims.authTime / 1000),
    amr: claims.amr,
    acr: claims.acr,
  };
  const signed = `${encode({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })}.${encode(payload)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function decode(part: string): Record<string, unknown> {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The claims of a token that one of `keys` signed for `issuer` and that has not expired; otherwise undefined. */
export function readAccessToken(
  token: string,
  { keys, issuer, now }: { keys: readonly SigningKey[]; issuer: string; now: number },
): AccessClaims | undefined {
  const claims = verifiedBefore(token, keys) ?? verifyNow(token, keys);
  const current = claims?.iss === issuer && claims.aud === issuer && claims.exp * 1000 > now;
  return current && typeof claims.sub === 'string' && typeof claims.sid === 'string' ? claims : undefined;
}

/** Verified tokens by signing key: a key that is no longer trusted takes its tokens with it. */
const verified = new WeakMap<KeyObject, Map<string, AccessClaims>>();
const verifiedKept = 4000;

function verifiedBefore(token: string, keys: readonly SigningKey[]): AccessClaims | undefined {
  for (const { privateKey } of keys) {
    const claims = verified.get(privateKey)?.get(token);
    if (claims) return claims;
  }
  return undefined;
}

/** Verification costs more than the rest of a request, so each token pays for it once. */
function keepVerified(token: string, { privateKey }: SigningKey, claims: AccessClaims): void {
  const kept = verified.get(privateKey) ?? new BoundedMap<string, AccessClaims>(verifiedKept);
  verified.set(privateKey, kept.set(token, claims));
}

/** Algorithm and type are pinned, and the header can only name a key of ours (RFC 8725, sections 3.1 and 3.11). */
function verifyNow(token: string, keys: readonly SigningKey[]): AccessClaims | undefined {
  if (!compactJws.test(token) || token.length > 2048) return undefined;
  const [head = '', body = '', signature = ''] = token.split('.');
  try {
    const header = decode(head);
    const key = keys.find((candidate) => candidate.kid === header.kid);
    if (!key || header.alg !== 'ES256' || header.typ !== 'at+jwt') return undefined;
    const bytes = Buffer.from(signature, 'base64url');
    const publicKey = { key: createPublicKeyOf(key), dsaEncoding: 'ieee-p1363' } as const;
    if (!verify('sha256', Buffer.from(`${head}.${body}`), publicKey, bytes)) return undefined;
    const claims = decode(body) as unknown as AccessClaims;
    keepVerified(token, key, claims);
    return claims;
  } catch {
    return undefined;
  }
}

const publicKeys = new WeakMap<KeyObject, KeyObject>();

/** Deriving the public key costs more than verifying with it, so it is done once per key. */
function createPublicKeyOf({ privateKey }: SigningKey): KeyObject {
  const known = publicKeys.get(privateKey) ?? createPublicKey(privateKey);
  publicKeys.set(privateKey, known);
  return known;
}

/** The content of a refresh token. Never stored: the same session and generation always produce the same token. */
export interface RefreshToken {
  /** base64url of 128 bits. */
  readonly sessionId: string;
  readonly generation: number;
}

const sessionBytes = 16;
const generationBytes = 4;
const macBytes = 32;
const length = sessionBytes + generationBytes + macBytes;

const refreshTokenMac = (key: Buffer, body: Buffer) =>
  createHmac('sha256', key).update('refresh_token').update(body).digest();

/** base64url of: session id, generation, HMAC-SHA256 over both. */
export function writeRefreshToken(key: Buffer, { sessionId, generation }: RefreshToken): string {
  const body = Buffer.alloc(sessionBytes + generationBytes);
  Buffer.from(sessionId, 'base64url').copy(body);
  body.writeUInt32BE(generation, sessionBytes);
  return Buffer.concat([body, refreshTokenMac(key, body)]).toString('base64url');
}

/** A refresh reads its token twice, once to check the CSRF token; this verifies it only once. */
let last: { keys: readonly Buffer[]; text: string; token: RefreshToken | undefined } | undefined;

/** Reads a token that one of `keys` made, newest key first; returns undefined for any other. */
export function readRefreshToken(keys: readonly Buffer[], text: string): RefreshToken | undefined {
  if (last?.text !== text || last.keys !== keys) last = { keys, text, token: verifyRefreshToken(keys, text) };
  return last.token;
}

function verifyRefreshToken(keys: readonly Buffer[], text: string): RefreshToken | undefined {
  if (!/^[\w-]{70}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== length) return undefined;
  const body = bytes.subarray(0, sessionBytes + generationBytes);
  if (!keys.some((key) => equal(refreshTokenMac(key, body), bytes.subarray(-macBytes)))) return undefined;
  return {
    sessionId: body.toString('base64url', 0, sessionBytes),
    generation: body.readUInt32BE(sessionBytes),
  };
}

const randomPart = 16;

const csrfMac = (key: Buffer, session: string, random: string) =>
  createHmac('sha256', key).update(`csrf!${session.length}!${session}!${random}`).digest();

/**
 * A token bound to a session (OWASP CSRF Prevention Cheat Sheet, signed double-submit cookie):
 * `HMAC(key, session ‖ random).random`. `session` is empty for a browser that has none.
 */
export function writeCsrfToken(key: Buffer, session: string): string {
  const random = randomFew(randomPart).toString('base64url');
  return `${csrfMac(key, session, random).toString('base64url')}.${random}`;
}

/** Whether one of `keys` made the token for this session. */
export function isCsrfToken(keys: readonly Buffer[], { token, session }: { token: string; session: string }): boolean {
  const [tag = '', random = '', ...more] = token.split('.');
  if (more.length > 0 || random.length === 0 || token.length > 200) return false;
  return keys.some((key) => equal(csrfMac(key, session, random), Buffer.from(tag, 'base64url')));
}

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
