interface Day<Entry> {
  /** In the browser's time zone; names the day among others. */
  readonly date: string;
  readonly entries: readonly [Entry, ...Entry[]];
}

/** Groups entries by the day of their time in the browser's time zone, in their order. */
export function byDay<Entry extends { readonly at: string }>(entries: readonly Entry[]): readonly Day<Entry>[] {
  const days = new Map<string, [Entry, ...Entry[]]>();
  for (const entry of entries) {
    const date = new Date(entry.at).toDateString();
    const known = days.get(date);
    if (known) known.push(entry);
    else days.set(date, [entry]);
  }
  return [...days].map(([date, entries]) => ({ date, entries }));
}
