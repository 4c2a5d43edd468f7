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
