import { engineOf, type StoreTransaction } from '../../store/database.ts';
import { type AlarmKind, type AlarmValue, alarmValueOf } from '../contract/alarm-kinds.ts';
import { forTrended } from '../contract/readings.ts';
import type { ComputersTable } from './computers.ts';
import { currentShares } from './readings.ts';

/** Something that happened, and the rule that matched. */
export interface PendingEvent {
  readonly kind: AlarmKind;
  /** Its id. */
  readonly rule: string;
}

/** What happened to a computer since the last evaluation, each rule once. */
export const pendingEvents = ({ alarm_events: kept }: Pick<ComputersTable, 'alarm_events'>): readonly PendingEvent[] =>
  kept === '' ? [] : (JSON.parse(kept) as PendingEvent[]);

/** The same, locked until the end of the transaction, in which others may be added. */
export async function pendingEventsOf(trx: StoreTransaction, computerId: string): Promise<readonly PendingEvent[]> {
  const row = await trx
    .selectFrom('computers')
    .select('alarm_events')
    .where('id', '=', computerId)
    .$if(engineOf(trx) === 'postgres', (rows) => rows.forNoKeyUpdate())
    .executeTakeFirst();
  return row ? pendingEvents(row) : [];
}

/** In percent. */
interface Limit {
  readonly kind: AlarmKind;
  readonly limit: number;
}

/** A limit of a rule, and since when the value is beyond it (ms since the epoch). */
type KnownLimit = Limit & { readonly since: number | null };

export const readLimits = (kept: string): readonly KnownLimit[] =>
  kept === '' ? [] : (JSON.parse(kept) as KnownLimit[]);

export const isBeyondLimit = ({ kind, limit }: Limit, value: number): boolean =>
  kind.endsWith('_low') ? value < limit : value > limit;

/** Whether other readings are on another side of a limit, so that the next evaluation may find an alarm or its end. */
export function passesLimit(kept: string, before: string, after: string): boolean {
  if (kept === '' || before === after) return false;
  const [former, current] = [sharesOf(before), sharesOf(after)];
  return readLimits(kept).some((limit) => {
    const value = alarmValueOf(limit.kind);
    const [one, other] = value ? [former[value], current[value]] : [];
    if (other === undefined) return false;
    return one === undefined || isBeyondLimit(limit, one) !== isBeyondLimit(limit, other);
  });
}

/** The values that rules compare, as far as a computer reported them: in percent. */
export function sharesOf(readings: string): Readonly<Record<AlarmValue, number | undefined>> {
  const shares = currentShares(readings);
  return forTrended((what) => {
    const share = shares[what] ?? undefined;
    // Rules compare the used memory.
    return share !== undefined && what === 'memory' ? 100 - share : share;
  });
}
