import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomSecret, sha256 } from '../../security/secrets.ts';
import { type Cookies, phoneCallSecretOf, setPhoneCallCookie } from './cookies.ts';

/** Marks a browser with a cookie and returns its SHA-256: waits belong to a browser, because addresses are shared. */
export function markPhoneBrowser(request: FastifyRequest, reply: FastifyReply, cookies: Cookies): string {
  const secret = phoneCallSecretOf(request, cookies) ?? randomSecret(256);
  setPhoneCallCookie(reply, cookies, secret);
  return sha256(secret);
}
