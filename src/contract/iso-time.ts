/** Writes a time (ms since the epoch) as the contract does: ISO 8601, in UTC. */
export const iso = (at: number): string => new Date(at).toISOString();

export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at));
