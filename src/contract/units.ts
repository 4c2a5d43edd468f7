/** Durations in milliseconds; each call names its unit. */
export const seconds = (count: number): number => count * 1000;
export const minutes = (count: number): number => seconds(count * 60);
export const hours = (count: number): number => minutes(count * 60);
export const days = (count: number): number => hours(count * 24);

const units = [
  ['day', days(1)],
  ['hour', hours(1)],
] as const;

/**
 * A duration as pages and messages write it: “119 minutes”, “2 hours”, “2 days”. Whole units of which there are two,
 * rounded down, at least a minute.
 */
export function wholeUnits(duration: number): { readonly unit: 'day' | 'hour' | 'minute'; readonly count: number } {
  const [unit, length] = units.find(([, one]) => duration >= 2 * one) ?? (['minute', minutes(1)] as const);
  return { unit, count: Math.max(1, Math.floor(duration / length)) };
}

/** Writes a time (ms since the epoch) as the contract does: ISO 8601, in UTC. */
export const iso = (at: number): string => new Date(at).toISOString();

export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));
