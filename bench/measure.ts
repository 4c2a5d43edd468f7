/** The figures of one run, by name. */
export type Figures = Readonly<Record<string, number>>;

export interface Contender {
  readonly name: string;
  /** Measures once, from a fresh start to its end. */
  run(): Promise<Figures>;
}

export interface Measurement {
  readonly says: string;
  /** Name of the contender that the others are compared with. */
  readonly limit?: string;
  contenders(): Promise<readonly Contender[]>;
}

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Medians of several rounds. Contenders take turns, so that a machine that slows down affects all of them. */
export async function medians(contenders: readonly Contender[], rounds: number): Promise<Map<string, Figures>> {
  const seen = new Map<string, Figures[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of contenders) {
      process.stderr.write(`  ${name}, ${round + 1} of ${rounds}\n`);
      seen.get(name)?.push(await run());
    }
  }
  return new Map([...seen].map(([name, all]) => [name, medianOf(all)]));
}

/** The median of each figure. */
export function medianOf(all: readonly Figures[]): Figures {
  const names = new Set(all.flatMap((figures) => Object.keys(figures)));
  return Object.fromEntries([...names].map((name) => [name, middle(all.flatMap((figures) => figures[name] ?? []))]));
}
