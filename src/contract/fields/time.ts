/** ISO 8601: a day, and perhaps a time of day with its distance from UTC. */
const form = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/**
 * Reads a point in time (ISO 8601) as milliseconds since the epoch; without a time zone it is in UTC. Undefined if it is
 * none, or if its month has no such day, which `Date.parse` would move to the next month.
 */
export function readTime(text: string): number | undefined {
  const [, year, month, day, time = '00:00', zone = 'Z'] = form.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}`);
  if (!Number.isFinite(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  const offset = zone.toUpperCase().replace(/^(...)(\d\d)$/, '$1:$2');
  const at = Date.parse(`${year}-${month}-${day}T${time.replace(',', '.')}${offset}`);
  return Number.isFinite(at) ? at : undefined;
}

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
