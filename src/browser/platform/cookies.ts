import { cookieLifetime } from '../../contract/cookies.ts';

/** The value of a cookie; undefined if it is missing or malformed, or if the browser blocks cookies. */
export function readCookie(name: string): string | undefined {
  try {
    const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
    return found && decodeURIComponent(found.slice(name.length + 1));
  } catch {
    return undefined;
  }
}

/** Sets a cookie for one day, or for `lifetime` milliseconds; 0 removes it. */
export function writeCookie(name: string, value: string, lifetime = cookieLifetime): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every baseline browser
    document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; SameSite=Lax; Max-Age=${lifetime / 1000}${secure}`;
  } catch {
    // A browser that blocks cookies works without the value.
  }
}
