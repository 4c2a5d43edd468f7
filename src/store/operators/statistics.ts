import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { StatisticsSeries } from '../../contract/console.ts';
import { days, hours } from '../../contract/units.ts';
import type { Store } from '../database.ts';

interface StatisticsTable {
  series: StatisticsSeries;
  /** Hours since the epoch. */
  hour: number;
  /** What is counted: a method, a refusal, a provider with a country. */
  label: string;
  count: number;
}

/** The last batch of each process that is added. */
interface StatisticsNodesTable {
  id: string;
  batch: number;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    statistics: StatisticsTable;
    statistics_nodes: StatisticsNodesTable;
  }
}

export const statisticsKept = days(31);
/** A node that could not write for so long has ended. */
export const statisticsNodeKept = days(2);

export const hourOf = (at: number): number => Math.floor(at / hours(1));

/** Counts in memory, so that a sign-in costs no statement more. */
export interface Counters {
  count(series: StatisticsSeries, label: string, more?: number): void;
  /** Adds everything that was counted to the database. A batch whose result is unknown is never added twice. */
  flush(): Promise<void>;
}

/** Beyond them, new labels of an hour are lost: strangers must not fill the memory. */
const maxLabels = 1000;

/** How many networks an hour keeps, and how few refusals of a batch are nobody's flood: a network may be one person. */
export const networksKept = 5;
const leastOfNetwork = 3;

export function openCounters(store: Store, now: () => number): Counters {
  const id = randomUUID();
  let batch = 0;
  let sending: readonly StatisticsTable[] = [];
  let counted = new Map<string, StatisticsTable>();
  // Apart, because strangers choose these labels.
  let networks = new Map<string, StatisticsTable>();
  return {
    count(series, label, more = 1) {
      const hour = hourOf(now());
      const key = `${series} ${hour} ${label}`;
      const into = series === 'refused_from' ? networks : counted;
      const known = into.get(key);
      if (known) known.count += more;
      else if (into.size < maxLabels) into.set(key, { series, hour, label, count: more });
    },
    async flush() {
      if (sending.length === 0) {
        const rows = new Map([...counted, ...loudest(networks)]);
        networks = new Map();
        if (rows.size === 0) return;
        // Sorted, so that nodes that add to the same rows wait for each other but never deadlock.
        sending = [...rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
        counted = new Map();
        batch += 1;
      }
      await addOnce(store, { id, batch, at: now() }, sending);
      sending = [];
    },
  };
}

const loudest = (networks: ReadonlyMap<string, StatisticsTable>) =>
  [...networks]
    .filter(([, { count }]) => count >= leastOfNetwork)
    .sort(([, one], [, other]) => other.count - one.count)
    .slice(0, networksKept);

const addOnce = (store: Store, node: StatisticsNodesTable, rows: readonly StatisticsTable[]): Promise<void> =>
  store.transaction().execute(async (trx) => {
    const isNew = await trx
      .insertInto('statistics_nodes')
      .values(node)
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet({ batch: node.batch, at: node.at })
          .where('statistics_nodes.batch', '<', node.batch),
      )
      .returning('id')
      .executeTakeFirst();
    if (!isNew) return;
    await trx
      .insertInto('statistics')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['series', 'hour', 'label'])
          .doUpdateSet({ count: sql<number>`statistics.count + excluded.count` }),
      )
      .execute();
  });

interface Span {
  /** All unless given. */
  readonly series: StatisticsSeries | undefined;
  readonly from: number;
  readonly to: number;
}

/** The counts by hour, the oldest first. */
export async function countsBetween(store: Store, { series, from, to }: Span): Promise<readonly StatisticsTable[]> {
  const rows = await store
    .selectFrom('statistics')
    .selectAll()
    .$if(series !== undefined, (rows) => rows.where('series', '=', series as StatisticsSeries))
    .where('hour', '>=', hourOf(from))
    .where('hour', '<=', hourOf(to))
    .orderBy('hour')
    .orderBy('label')
    .execute();
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}
