/** Sends the browser's time zone (IANA) with each request, so that emails can show local time. */
export const timeZoneHeader = 'X-Time-Zone';

/** Whether a name looks like `Europe/Berlin` or `Etc/GMT+12`. The caller has to check that the zone exists. */
export const isTimeZoneName = (name: unknown): name is string =>
  typeof name === 'string' && /^[A-Za-z][\w+\-/]{0,63}$/.test(name);

/** The browser's time zone; undefined if it has none, refuses to tell, or tells what a header cannot hold. */
export function browserTimeZone(): string | undefined {
  try {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    return isTimeZoneName(timeZone) ? timeZone : undefined;
  } catch {
    return undefined;
  }
}

interface WithTemporal {
  readonly Temporal?: { readonly Now: { zonedDateTimeISO(zone: string): unknown } };
}

/** Whether this browser or Node also knows the zone: applications that get its name may fail with one that does not exist. */
export function isKnownTimeZone(name: unknown): name is string {
  if (!isTimeZoneName(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    // Where it exists, it refuses some that `Intl` takes, such as `AST`; the server computes with it.
    (globalThis as WithTemporal).Temporal?.Now.zonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}
