import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

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

const mac = (key: Buffer, body: Buffer) => createHmac('sha256', key).update('refresh_token').update(body).digest();

/** base64url of: session id, generation, HMAC-SHA256 over both. */
export function writeRefreshToken(key: Buffer, { sessionId, generation }: RefreshToken): string {
  const body = Buffer.alloc(sessionBytes + generationBytes);
  Buffer.from(sessionId, 'base64url').copy(body);
  body.writeUInt32BE(generation, sessionBytes);
  return Buffer.concat([body, mac(key, body)]).toString('base64url');
}

/** A refresh reads its token twice, once to check the CSRF token; this verifies it only once. */
let last: { keys: readonly Buffer[]; text: string; token: RefreshToken | undefined } | undefined;

/** Reads a token that one of `keys` made, newest key first; returns undefined for any other. */
export function readRefreshToken(keys: readonly Buffer[], text: string): RefreshToken | undefined {
  if (last?.text !== text || last.keys !== keys) last = { keys, text, token: verify(keys, text) };
  return last.token;
}

function verify(keys: readonly Buffer[], text: string): RefreshToken | undefined {
  if (!/^[\w-]{70}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length !== length) return undefined;
  const body = bytes.subarray(0, sessionBytes + generationBytes);
  if (!keys.some((key) => equal(mac(key, body), bytes.subarray(-macBytes)))) return undefined;
  return {
    sessionId: body.toString('base64url', 0, sessionBytes),
    generation: body.readUInt32BE(sessionBytes),
  };
}
