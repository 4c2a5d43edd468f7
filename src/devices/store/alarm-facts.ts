import { engineOf, type StoreTransaction } from '../../store/database.ts';
import type { AlarmKind, AlarmValue } from '../contract/alarm-kinds.ts';
import type { ComputersTable } from './computers.ts';

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

export type Values = Readonly<Partial<Record<AlarmValue, number>>>;

/** The values that a computer reported last. */
export const readValues = (kept: string): Values => (kept === '' ? {} : (JSON.parse(kept) as Values));

export const isBeyondLimit = ({ kind, limit }: Limit, value: number): boolean =>
  kind.endsWith('_low') ? value < limit : value > limit;
