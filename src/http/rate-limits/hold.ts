/** Remembers in this node who has asked too often, so that they are refused again without any work. */
export interface RateLimitHold {
  /** When (ms since the epoch) somebody may ask again, or 0. */
  freeAt(source: string): number;
  hold(source: string, freeAt: number): void;
}

const sourcesKept = 50_000;

/** Forgotten at a restart: whoever counts exactly, in the database, says it again. */
export function openRateLimitHold(now: () => number): RateLimitHold {
  const held = new Map<string, number>();
  return {
    freeAt(source) {
      const freeAt = held.get(source) ?? 0;
      if (freeAt > now()) return freeAt;
      held.delete(source);
      return 0;
    },
    hold(source, freeAt) {
      held.set(source, freeAt);
      if (held.size > sourcesKept) held.delete(held.keys().next().value as string);
    },
  };
}
