import { cookieLifetime } from '../../contract/cookies.ts';

/** The value of a readable cookie; undefined when nobody can read it, be it forbidden or not of our making. */
export function readCookie(name: string): string | undefined {
  try {
    const found = document.cookie.split('; ').find((pair) => pair.startsWith(`${name}=`));
    return found && decodeURIComponent(found.slice(name.length + 1));
  } catch {
    return undefined;
  }
}

/** Keeps a cookie for one day, or for `lifetime` milliseconds; 0 removes it. */
export function writeCookie(name: string, value: string, lifetime = cookieLifetime): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  try {
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every baseline browser
    document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; SameSite=Lax; Max-Age=${lifetime / 1000}${secure}`;
  } catch {
    // Whoever forbids cookies does without what they would have kept.
  }
}
