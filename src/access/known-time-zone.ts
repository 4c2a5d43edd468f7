/**
 * Whether this Node knows a time zone. A browser may know more of them or send any name, and applications that get the name
 * (claim `zoneinfo`) may fail with one that does not exist.
 */
export function isKnownTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return true;
  } catch {
    return false;
  }
}
