import { cookieLifetime } from '../../contract/cookies.ts';

/** The value of a readable cookie. */
export function readCookie(name: string): string | undefined {
  const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
  return found && decodeURIComponent(found.slice(name.length + 1));
}

/** Keeps a cookie for one day, or for `lifetime` milliseconds; 0 removes it. */
export function writeCookie(name: string, value: string, lifetime = cookieLifetime): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every baseline browser
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; SameSite=Lax; Max-Age=${lifetime / 1000}${secure}`;
}
