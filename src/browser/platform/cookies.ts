import { cookieLifetime } from '../../contract/pages/cookies.ts';

/** The value of a cookie; undefined if it is missing or malformed, or if the browser blocks cookies. */
export const readCookie = (name: string): string | undefined => readCookies(name)[0];

/** The values of all cookies with a name, which parent domains can also set; without malformed ones. */
export function readCookies(name: string): string[] {
  try {
    const found = document.cookie.split('; ').filter((pair) => pair.startsWith(`${name}=`));
    return found.flatMap((pair) => decoded(pair.slice(name.length + 1)));
  } catch {
    return [];
  }
}

function decoded(value: string): string[] {
  try {
    return [decodeURIComponent(value)];
  } catch {
    return [];
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
