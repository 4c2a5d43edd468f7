import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieLifetime, sessionHintCookie, sharedHint } from '../../contract/pages.ts';
import { deviceLifetime } from '../../store/access/devices.ts';
import { pendingSignInLifetime } from '../../store/access/second-step.ts';
import { sessionLifetime } from '../../store/access/sessions.ts';

/** The secret cookies, and how long (ms) a browser keeps each. */
const lifetimes = {
  refresh_token: sessionLifetime,
  device: deviceLifetime,
  // Of a browser that requested sign-in codes, the newest first. An email may be late.
  mail_code: cookieLifetime,
  // Of a browser that requested a call, and of one that requested the challenge of a passkey.
  phone_call: cookieLifetime,
  passkeys: cookieLifetime,
  // Of a browser whose sign-in waits for its second step.
  pending_sign_in: pendingSignInLifetime,
} as const;

type SecretCookie = keyof typeof lifetimes;

export type Cookies = ReturnType<typeof openCookies>;

/**
 * The cookies of this service. On https, secret ones carry the `__Host-` prefix, so that no subdomain can plant them
 * (RFC 6265bis, section 4.1.3.2); plain http, for development, cannot use it.
 */
export function openCookies(publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  const readable = { path: '/', sameSite: 'lax', secure } as const;
  const hidden = { ...readable, httpOnly: true };
  const nameOf = (cookie: SecretCookie): string => (secure ? `__Host-${cookie}` : cookie);
  const readAll = (request: FastifyRequest, cookie: SecretCookie): string[] =>
    (request.cookies[nameOf(cookie)] ?? '').split('.').filter(isSecret);
  const set = (reply: FastifyReply, cookie: SecretCookie, secret: string): unknown =>
    reply.setCookie(nameOf(cookie), secret, { ...hidden, maxAge: inSeconds(lifetimes[cookie]) });
  /** Sets a cookie that the scripts of pages can read, for `lifetime` (ms). */
  const show = (reply: FastifyReply, cookie: { name: string; value: string; lifetime: number }): unknown =>
    reply.setCookie(cookie.name, cookie.value, { ...readable, maxAge: inSeconds(cookie.lifetime) });
  /** A hint for the page that a refresh may succeed. */
  const hintSession = (reply: FastifyReply): unknown =>
    show(reply, { name: sessionHintCookie, value: '1', lifetime: sessionLifetime });
  return {
    secure,
    nameOf,
    set,
    show,
    hintSession,
    readAll,
    /** Undefined unless the cookie has our format. */
    read: (request: FastifyRequest, cookie: SecretCookie): string | undefined => {
      const secret = request.cookies[nameOf(cookie)];
      return secret !== undefined && isSecret(secret) ? secret : undefined;
    },
    clear: (reply: FastifyReply, cookie: SecretCookie): unknown => reply.clearCookie(nameOf(cookie), hidden),
    refreshToken: ({ cookies }: FastifyRequest): string | undefined => cookies[nameOf('refresh_token')],
    /** On a shared computer, they expire when the browser closes. */
    setSession(reply: FastifyReply, { refreshToken, shared }: { refreshToken: string; shared: boolean }): void {
      if (shared) {
        reply.setCookie(nameOf('refresh_token'), refreshToken, hidden);
        reply.setCookie(sessionHintCookie, sharedHint, readable);
        return;
      }
      set(reply, 'refresh_token', refreshToken);
      hintSession(reply);
    },
    clearSession(reply: FastifyReply): void {
      reply.clearCookie(nameOf('refresh_token'), hidden);
      reply.clearCookie(sessionHintCookie, readable);
    },
  };
}

const inSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** 256 bits in base64url. */
const isSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);
