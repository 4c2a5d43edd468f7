import { sql } from 'kysely';
import { minutes, seconds } from '../../contract/durations.ts';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';
import { newestSignal } from './computers.ts';

/** Longest time between two evaluations of any node in normal operation; a longer one is an outage of ours. */
const longestGap = seconds(90);
/** Without a signal from any computer for this long, the service may be unreachable. Agents send one every minute. */
const quietAfter = minutes(3);
/** Computers that were heard in this time before a silence began were active. */
const activeWithin = minutes(2);
/** If the computers of so many accounts fall silent together, the service is unreachable. */
const accountsThatProveIt = 3;
/** A larger step back means that the clock was set back, not corrected. */
export const clockStep = seconds(2);

/** One row for all nodes: whether somebody evaluated alarms, and whether computers could reach us. */
export interface AlarmWatchTable {
  id: 1;
  /** The first evaluation ever. */
  begun_at: number;
  /** The last evaluation by any node. */
  evaluated_at: number;
  /** Silence counts from here at the earliest: the end of our last outage. */
  counted_from: number;
  /** The newest signal from any computer, as far as the nodes know. */
  heard_at: number;
  /** The `heard_at` for which we last examined whether the service is unreachable. */
  judged_at: number;
  unreachable: 0 | 1;
}

declare module '../database.ts' {
  interface Database {
    alarm_watch: AlarmWatchTable;
  }
}

export type AlarmWatch = Omit<AlarmWatchTable, 'id'>;

/**
 * Records that this node evaluates alarms at `evaluated_at`. Finds outages of ours: a gap between evaluations, a clock
 * that was changed, or silence of all computers.
 */
export const watchAlarms = (store: Store, clock: () => number): Promise<AlarmWatch> =>
  store.transaction().execute(async (trx) => {
    const at = clock();
    const never = { begun_at: at, evaluated_at: at, counted_from: at, heard_at: at, judged_at: 0 };
    await trx
      .insertInto('alarm_watch')
      .values({ id: 1, ...never, unreachable: 0 })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
    const { id: _, ...known } = await trx
      .selectFrom('alarm_watch')
      .selectAll()
      .where('id', '=', 1)
      .$if(engineOf(trx) === 'postgres', (row) => row.forUpdate())
      .executeTakeFirstOrThrow();
    // Read only now: this transaction may have waited for another node's.
    const now = clock();
    const watch = await judgeReach(trx, { watch: await heedTheClock(trx, { watch: known, now }), now, store });
    const evaluated = { ...watch, evaluated_at: now };
    await trx.updateTable('alarm_watch').set(evaluated).where('id', '=', 1).execute();
    return evaluated;
  });

interface Watching {
  readonly watch: AlarmWatch;
  readonly now: number;
}

/** After a gap, silence counts from now. After a clock was set back, times in the future become the present. */
async function heedTheClock(trx: StoreTransaction, { watch, now }: Watching): Promise<AlarmWatch> {
  if (now >= watch.evaluated_at - clockStep) {
    return now - watch.evaluated_at > longestGap ? { ...watch, counted_from: now } : watch;
  }
  // A silence that was reported stays the same one: both of its times change together.
  await sql`update computers set alarm_check_at = 0,
      last_seen_at = case when last_seen_at > ${now} then ${now} else last_seen_at end,
      alarm_silent_at = case when alarm_silent_at <= ${now} then alarm_silent_at
        when alarm_silent_at = last_seen_at then ${now} end
    where alarm_check_at > ${now} or last_seen_at > ${now}`.execute(trx);
  const past = (at: number) => Math.min(at, now);
  return {
    ...watch,
    begun_at: past(watch.begun_at),
    counted_from: past(watch.counted_from),
    heard_at: past(watch.heard_at),
  };
}

/** Finds out whether computers reach us; once they do again, silence counts from now. */
async function judgeReach(
  trx: StoreTransaction,
  { watch, now, store }: Watching & { readonly store: Store },
): Promise<AlarmWatch> {
  const known = Math.max(watch.heard_at, Math.min(now, newestSignal(store)));
  const isQuiet = now - known > quietAfter;
  const mustLook = isQuiet && (watch.unreachable === 1 || watch.judged_at !== known);
  if (!mustLook) return { ...watch, heard_at: known, ...(watch.unreachable === 1 && !isQuiet && back(now)) };
  // A scan, but only while no computer is heard: nodes of an older version do not report what they hear.
  const { heard, accounts } = await activeBefore(trx, known);
  const heardAt = Math.max(known, Math.min(now, heard));
  if (now - heardAt <= quietAfter) return { ...watch, heard_at: heardAt, ...(watch.unreachable === 1 && back(now)) };
  const unreachable = watch.unreachable === 1 || accounts >= accountsThatProveIt ? 1 : 0;
  return { ...watch, heard_at: heardAt, judged_at: heardAt, unreachable };
}

const back = (now: number) => ({ unreachable: 0, counted_from: now }) as const;

async function activeBefore(trx: StoreTransaction, heardAt: number): Promise<{ heard: number; accounts: number }> {
  const { rows } = await sql<{ heard: number | null; accounts: number }>`
    select max(last_seen_at) as heard,
      count(distinct case when last_seen_at > ${heardAt - activeWithin} then account_id end) as accounts
    from computers`.execute(trx);
  return { heard: Number(rows[0]?.heard ?? 0), accounts: Number(rows[0]?.accounts ?? 0) };
}
