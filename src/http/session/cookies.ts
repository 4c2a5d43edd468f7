import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LanguageCode } from '../../contract/languages.ts';
import {
  cookieLifetime,
  csrfCookie,
  localeCookie,
  localeCookieLifetime,
  sessionHintCookie,
  sharedHint,
} from '../../contract/pages.ts';
import { deviceLifetime } from '../../store/access/devices.ts';
import { pendingSignInLifetime } from '../../store/access/second-step.ts';
import { sessionLifetime } from '../../store/access/sessions.ts';

/**
 * The secret cookies of this service. On https they carry the `__Host-` prefix, so that no subdomain can plant them
 * (RFC 6265bis, section 4.1.3.2); plain http, for development, cannot use it.
 */
export interface Cookies {
  readonly refresh: string;
  readonly device: string;
  /** Binds a sign-in code to the browser that requested it. */
  readonly mailCode: string;
  /** Binds a wait for a call to the browser that requested it. */
  readonly phoneCall: string;
  /** Binds the challenges of passkeys to the browser that requested them. */
  readonly passkeys: string;
  /** Binds a sign-in that waits for its second step to its browser. */
  readonly pendingSignIn: string;
  readonly secure: boolean;
}

export function cookiesFor(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith('https:');
  const prefix = secure ? '__Host-' : '';
  return {
    refresh: `${prefix}refresh_token`,
    device: `${prefix}device`,
    mailCode: `${prefix}mail_code`,
    phoneCall: `${prefix}phone_call`,
    passkeys: `${prefix}passkeys`,
    pendingSignIn: `${prefix}pending_sign_in`,
    secure,
  };
}

const inSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

function setSecretCookie(
  reply: FastifyReply,
  { name, value, lifetime, secure }: { name: string; value: string; lifetime: number; secure: boolean },
): void {
  reply.setCookie(name, value, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: inSeconds(lifetime) });
}

/** On a shared computer, they expire when the browser closes. */
export function setSessionCookies(
  reply: FastifyReply,
  cookies: Cookies,
  { refreshToken, shared }: { refreshToken: string; shared: boolean },
): void {
  if (shared) {
    const { secure } = cookies;
    reply.setCookie(cookies.refresh, refreshToken, { path: '/', httpOnly: true, sameSite: 'lax', secure });
    reply.setCookie(sessionHintCookie, sharedHint, { path: '/', sameSite: 'lax', secure });
    return;
  }
  setSecretCookie(reply, {
    name: cookies.refresh,
    value: refreshToken,
    lifetime: sessionLifetime,
    secure: cookies.secure,
  });
  setSessionHint(reply, cookies);
}

/** A hint for the page that a refresh may succeed. */
export const setSessionHint = (reply: FastifyReply, cookies: Cookies): unknown =>
  reply.setCookie(sessionHintCookie, '1', readable(cookies, sessionLifetime));

export function clearSessionCookies(reply: FastifyReply, cookies: Cookies): void {
  reply.clearCookie(cookies.refresh, { path: '/', httpOnly: true, sameSite: 'lax', secure: cookies.secure });
  reply.clearCookie(sessionHintCookie, { path: '/', sameSite: 'lax', secure: cookies.secure });
}

export const setDeviceCookie = (reply: FastifyReply, cookies: Cookies, token: string): void =>
  setSecretCookie(reply, { name: cookies.device, value: token, lifetime: deviceLifetime, secure: cookies.secure });

export function setCsrfCookie(reply: FastifyReply, cookies: Cookies, token: string): void {
  reply.setCookie(csrfCookie, token, readable(cookies, cookieLifetime));
}

/** Remembers the language that a visitor was redirected to. */
export const setLocaleCookie = (reply: FastifyReply, cookies: Cookies, language: LanguageCode): unknown =>
  reply.setCookie(localeCookie, language, readable(cookies, localeCookieLifetime));

const readable = (cookies: Cookies, lifetime: number) =>
  ({ path: '/', sameSite: 'lax', secure: cookies.secure, maxAge: inSeconds(lifetime) }) as const;

/** Lasts a day, because the email may be late. */
export const setMailCodeCookie = (reply: FastifyReply, cookies: Cookies, secrets: readonly string[]): void =>
  setSecretCookie(reply, {
    name: cookies.mailCode,
    value: secrets.join('.'),
    lifetime: cookieLifetime,
    secure: cookies.secure,
  });

export const clearMailCodeCookie = (reply: FastifyReply, cookies: Cookies): unknown =>
  reply.clearCookie(cookies.mailCode, { path: '/', httpOnly: true, sameSite: 'lax', secure: cookies.secure });

export const setPendingSignInCookie = (reply: FastifyReply, cookies: Cookies, secret: string): void =>
  setSecretCookie(reply, {
    name: cookies.pendingSignIn,
    value: secret,
    lifetime: pendingSignInLifetime,
    secure: cookies.secure,
  });

export const clearPendingSignInCookie = (reply: FastifyReply, cookies: Cookies): unknown =>
  reply.clearCookie(cookies.pendingSignIn, { path: '/', httpOnly: true, sameSite: 'lax', secure: cookies.secure });

/** The secret of a browser whose sign-in waits for its second step. */
export const pendingSignInOf = (request: FastifyRequest, cookies: Cookies): string | undefined =>
  secretIn(request, cookies.pendingSignIn);

/** The device token in a browser's cookie, if it has our format. */
export const deviceTokenOf = (request: FastifyRequest, cookies: Cookies): string | undefined =>
  secretIn(request, cookies.device);

/** The secrets of a browser that has requested sign-in codes, the newest first. */
export const mailCodeSecretsOf = (request: FastifyRequest, cookies: Cookies): string[] =>
  (request.cookies[cookies.mailCode] ?? '').split('.').filter(isSecret);

/** The secret of a browser that has requested a call. */
export const phoneCallSecretOf = (request: FastifyRequest, cookies: Cookies): string | undefined =>
  secretIn(request, cookies.phoneCall);

export const setPhoneCallCookie = (reply: FastifyReply, cookies: Cookies, secret: string): void =>
  setSecretCookie(reply, { name: cookies.phoneCall, value: secret, lifetime: cookieLifetime, secure: cookies.secure });

/** The secret of a browser that has requested a passkey's challenge. */
export const passkeySecretOf = (request: FastifyRequest, cookies: Cookies): string | undefined =>
  secretIn(request, cookies.passkeys);

export const setPasskeyCookie = (reply: FastifyReply, cookies: Cookies, secret: string): void =>
  setSecretCookie(reply, { name: cookies.passkeys, value: secret, lifetime: cookieLifetime, secure: cookies.secure });

/** Undefined unless the cookie has our format: 256 bits in base64url. */
function secretIn(request: FastifyRequest, cookie: string): string | undefined {
  const secret = request.cookies[cookie];
  return secret !== undefined && isSecret(secret) ? secret : undefined;
}

const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);
