import { createHmac } from 'node:crypto';
import { equal, randomFew } from './secrets.ts';

const randomPart = 16;

const mac = (key: Buffer, session: string, random: string) =>
  createHmac('sha256', key).update(`csrf!${session.length}!${session}!${random}`).digest();

/**
 * A token bound to a session (OWASP CSRF Prevention Cheat Sheet, signed double-submit cookie):
 * `HMAC(key, session ‖ random).random`. `session` is empty for a browser that has none.
 */
export function writeCsrfToken(key: Buffer, session: string): string {
  const random = randomFew(randomPart).toString('base64url');
  return `${mac(key, session, random).toString('base64url')}.${random}`;
}

/** Whether one of `keys` made the token for this session. */
export function isCsrfToken(keys: readonly Buffer[], { token, session }: { token: string; session: string }): boolean {
  const [tag = '', random = '', ...more] = token.split('.');
  if (more.length > 0 || random.length === 0 || token.length > 200) return false;
  return keys.some((key) => equal(mac(key, session, random), Buffer.from(tag, 'base64url')));
}
