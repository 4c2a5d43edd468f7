/** Counts by source over a sliding window, in the memory of this node: a soft limit, forgotten at a restart. */
export interface AddressLimit {
  /** Counts one for the source. */
  add(source: string): void;
  /** 0 while the source is below its limit, else the milliseconds until it is again. */
  wait(source: string): number;
}

const sourcesKept = 50_000;

export function openAddressLimit({
  limit,
  within,
  now,
}: {
  limit: number;
  within: number;
  now: () => number;
}): AddressLimit {
  const seen = new Map<string, number[]>();

  const recent = (source: string) => (seen.get(source) ?? []).filter((at) => at > now() - within);

  return {
    add(source) {
      const times = [...recent(source), now()].slice(-limit);
      seen.delete(source);
      seen.set(source, times);
      if (seen.size > sourcesKept) seen.delete(seen.keys().next().value as string);
    },
    wait(source) {
      const times = recent(source);
      return times.length < limit ? 0 : (times.at(-limit) as number) + within - now();
    },
  };
}
