/** One scenario: what was seen, and whether the promise held. */
export interface Row {
  readonly held: boolean;
  readonly seen: Readonly<Record<string, string | number>>;
}

/** As text, with a column for everything that any row has seen. */
export function table(rows: readonly Row[]): string {
  const columns = [...new Set(rows.flatMap(({ seen }) => Object.keys(seen)))];
  const cells = [
    [...columns, ''],
    ...rows.map(({ seen, held }) => [...columns.map((column) => String(seen[column] ?? '')), held ? 'held' : 'BROKEN']),
  ];
  const widths = [...columns, ''].map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
