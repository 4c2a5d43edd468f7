import type { Stage } from './fixtures/stage.ts';

/** A promise, and scenes on real servers that show whether it holds. */
export interface Drill {
  /** One sentence, as `npm run drill` lists it. */
  readonly promise: string;
  readonly scenes: readonly Scene[];
  /** How many scenes this machine can play side by side. */
  readonly maxConcurrent: number;
}

export interface Scene {
  readonly name: string;
  /** Milliseconds after which it counts as hung and its resources are closed; two minutes by default. */
  readonly within?: number;
  play(stage: Stage): Promise<Row>;
}

/** The result of one scene: its figures, and whether the promise held. */
export interface Row {
  readonly held: boolean;
  readonly seen: Readonly<Record<string, string | number>>;
  /** Why the scene could not be played to its end; it then says nothing about the promise. */
  readonly error?: string;
}

/** A row for several promises, which names the broken ones. */
export function judged(seen: Row['seen'], promises: Readonly<Record<string, boolean>>): Row {
  const broken = Object.keys(promises).filter((promise) => !promises[promise]);
  return { held: broken.length === 0, seen: { ...seen, ...(broken.length > 0 && { broken: broken.join('; ') }) } };
}

export const wordFor = ({ held, error }: Row): string => {
  if (error !== undefined) return 'NOT PLAYED';
  return held ? 'held' : 'BROKEN';
};

/** The cells, with a column for every figure of any row. */
export function cellsOf(rows: readonly Row[]): { columns: readonly string[]; cells: readonly string[][] } {
  const columns = [...new Set(rows.flatMap(({ seen }) => Object.keys(seen)))];
  const cells = rows.map((row) => [...columns.map((column) => String(row.seen[column] ?? '')), wordFor(row)]);
  return { columns: [...columns, ''], cells };
}

/** The rows as plain text. */
export function table(rows: readonly Row[]): string {
  const { columns, cells } = cellsOf(rows);
  const lines = [columns, ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const errors = rows.flatMap(({ error }) => (error === undefined ? [] : [`\n${error}`]));
  return [...text, ...errors].join('\n');
}
