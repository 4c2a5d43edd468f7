import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

/** The state that a browser carries from an application's host to ours and back. */
export interface ForwardAuthState {
  readonly client: string;
  /** The origin of the application. */
  readonly origin: string;
  /** The path on that origin that the browser wanted. */
  readonly place: string;
  /** SHA-256 of the cookie that the browser has on the application's host. */
  readonly nonceHash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const mac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const isSigned = (keys: readonly Buffer[], text: string, tag: string): boolean => {
  const given = Buffer.from(tag, 'base64url');
  return keys.some((key) => equal(mac(key, text), given));
};

const stateText = (payload: string) => `forward auth state!${payload}`;

export function writeForwardAuthState(key: Buffer, state: ForwardAuthState): string {
  const payload = Buffer.from(JSON.stringify(state)).toString('base64url');
  return `${payload}.${mac(key, stateText(payload)).toString('base64url')}`;
}

/** Undefined unless one of `keys` wrote it. */
export function readForwardAuthState(keys: readonly Buffer[], text: string): ForwardAuthState | undefined {
  const [, payload = '', tag = ''] = /^([\w-]+)\.([\w-]{43})$/.exec(text) ?? [];
  if (payload === '' || !isSigned(keys, stateText(payload), tag)) return undefined;
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

/** A session on one host of one application: its cookie is worthless anywhere else. */
export interface ForwardAuthCookie {
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
