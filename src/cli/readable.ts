import { days, hours, minutes, seconds } from '../contract/durations.ts';

/** Formats seconds for people: `45 s`, `12 min`, `3 h`, `2 d`. */
export function readable(age: number): string {
  const units = [
    ['d', days(1)],
    ['h', hours(1)],
    ['min', minutes(1)],
  ] as const;
  const [unit, length] = units.find(([, one]) => seconds(age) >= one) ?? ['s', seconds(1)];
  return `${Math.floor(seconds(age) / length)} ${unit}`;
}

/** A count with its noun, whose plural ends in `s`: `1 account`, `2 accounts`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Escapes line breaks and tabs, so that text of others cannot look like another line or column. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\n\t]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Aligns cells in columns, each as wide as its widest cell. */
export function inColumns(cells: readonly (readonly string[])[]): string {
  const rows = cells.map((row) => row.map(onOneLine));
  const widths = rows.reduce<number[]>(
    (known, row) => row.map((cell, column) => Math.max(known[column] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
