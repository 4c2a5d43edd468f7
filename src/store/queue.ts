import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Database, engineOf, type Store } from './database.ts';

/** What every table has whose rows wait for their delivery. */
export interface QueueColumns {
  /** UUID version 7: sorts by time. */
  id: string;
  created_at: number;
  /** When it may leave, or be tried again. */
  due_at: number;
  attempts: number;
  /** End of a worker's lease. Grows with every claim, so it also identifies the claim. */
  leased_until: number;
  sent_at: number | null;
  gave_up_at: number | null;
  last_error: string | null;
}

/** The other columns of a row that begins to wait. */
export const notYetSent = { attempts: 0, leased_until: 0, sent_at: null, gave_up_at: null, last_error: null } as const;

type QueueTable = { [Name in keyof Database]: Database[Name] extends QueueColumns ? Name : never }[keyof Database];

type ColumnOf<Table extends QueueTable> = keyof Database[Table] & string;

interface QueueRules<Table extends QueueTable> {
  /** Rows with different values of this column do not wait for each other. */
  readonly lane: ColumnOf<Table>;
  /** The oldest by this column leave first. */
  readonly order: 'created_at' | 'due_at';
  /** Those with a lower number leave before all others. */
  readonly rank?: RawBuilder<number>;
  /**
   * Of all rows of a lane with an equal `of`, only the first one by `by` may leave. `openBatches`: one that is not due yet
   * and has not been tried delays no others.
   */
  readonly inOrder?: { readonly of: ColumnOf<Table>; readonly by: ColumnOf<Table>; readonly openBatches: boolean };
  /** Columns that are erased once a row is sent; without, the row is deleted. */
  readonly erased?: { readonly [Column in ColumnOf<Table>]?: string | RawBuilder<string> };
}

/** A claimed row: only the worker whose claim is still valid may end it. */
type Claimed = Pick<QueueColumns, 'id' | 'leased_until'>;

interface Claim<Lane> {
  readonly lane: Lane;
  readonly limit: number;
  readonly now: number;
  /** Milliseconds after which other workers may claim a row whose worker died. */
  readonly leaseFor: number;
  /** Ids that this worker is sending already, even if a clock set forward has ended their leases. */
  readonly except?: readonly string[];
  /** The newest leave first, and none waits for another one. */
  readonly newestFirst?: boolean;
  /** Only these rows. */
  readonly where?: RawBuilder<SqlBool> | undefined;
}

/** Every statement of the workers of a queue. Times are in milliseconds since the epoch. */
export interface Queue<Row extends QueueColumns = QueueColumns, Lane = string | number> {
  /** Claims due rows of a lane, each for exactly one worker. */
  claim(store: Store, claim: Claim<Lane>): Promise<Row[]>;
  /** Records that a row was sent, under any claim. */
  done(store: Store, row: Pick<Row, 'id'>, at: number): Promise<unknown>;
  /** Schedules another attempt. */
  postpone(store: Store, row: Claimed, until: { readonly dueAt: number; readonly error: string }): Promise<unknown>;
  /** Ends a claim as if there had been no attempt: the row keeps its turn and its count of attempts. */
  release(store: Store, row: Claimed, error: string): Promise<unknown>;
  /** Gives a row up. It stays, with its error, for an operator to see. */
  giveUp(store: Store, row: Claimed, reason: { readonly at: number; readonly error: string }): Promise<unknown>;
  /** Follows a clock that was set back by `by` milliseconds: otherwise waiting rows would wait that much longer. */
  shift(store: Store, step: { readonly now: number; readonly by: number }): Promise<unknown>;
  /**
   * Makes rows due now whose times are from before the clock was set back: they were created in the future, or wait longer
   * than any pause. The others keep their pauses, since each attempt counts.
   */
  endOutdatedPauses(store: Store, given: { readonly now: number; readonly longestPause: number }): Promise<unknown>;
  /** The number of waiting rows, of these lanes or of all, and the time of the oldest. */
  backlog(store: Store, lanes?: readonly Lane[]): Promise<{ readonly queued: number; readonly oldest: number | null }>;
}

type Row = ExpressionBuilder<Database, 'outbox'>;

const isPending = (row: Row) => row.and([row('sent_at', 'is', null), row('gave_up_at', 'is', null)]);

export function queueOf<Table extends QueueTable, Lane extends string | number>(
  name: Table,
  { lane, order, rank, inOrder, erased }: QueueRules<Table>,
): Queue<Database[Table], Lane> {
  // Typed as one of the tables: the statements use only columns that all of them have, and those of the rules.
  const table = name as unknown as 'outbox';
  const laneOf = (alias: string) => sql.ref<string | number>(`${alias}.${lane}`);
  const claimed = (store: Store, { id, leased_until }: Claimed) =>
    store.updateTable(table).where('id', '=', id).where('leased_until', '=', leased_until).where(isPending);

  return {
    async claim(store, { lane: one, limit, now, leaseFor, except = [], newestFirst = false, where }) {
      // A longer lease than any that we give is from before the clock was set back; another node's clock may be ahead.
      const isFree = (row: Row) =>
        row.or([row('leased_until', '<=', now), row('leased_until', '>', now + 2 * leaseFor)]);
      const rows = await store
        .with('due', (db) =>
          db
            .selectFrom(table)
            .select(`${table}.id`)
            .where(laneOf(table), '=', one)
            .where(isPending)
            .where('due_at', '<=', now)
            .where(isFree)
            .$if(where !== undefined, (due) => due.where(where as RawBuilder<SqlBool>))
            .$if(except.length > 0, (due) => due.where(`${table}.id`, 'not in', except))
            .$if(inOrder !== undefined && !newestFirst, (due) =>
              due.where(({ not, exists, selectFrom }) => {
                const { of, by, openBatches } = inOrder as NonNullable<typeof inOrder>;
                const older = selectFrom(`${table} as older`)
                  .select('older.id')
                  .where(laneOf('older'), '=', one)
                  .where(sql.ref(`older.${of}`), '=', sql.ref(`${table}.${of}`))
                  .where(sql.ref(`older.${by}`), '<', sql.ref(`${table}.${by}`))
                  .where('older.sent_at', 'is', null)
                  .where('older.gave_up_at', 'is', null)
                  .$if(openBatches, (rows) =>
                    rows.where((row) => row.or([row('older.due_at', '<=', now), row('older.attempts', '>', 0)])),
                  );
                return not(exists(older));
              }),
            )
            .$if(rank !== undefined, (due) => due.orderBy(rank as RawBuilder<number>))
            .orderBy(order, newestFirst ? 'desc' : 'asc')
            .orderBy('id', newestFirst ? 'desc' : 'asc')
            .limit(limit)
            // A single statement is exclusive in SQLite; PostgreSQL's workers skip each other's rows.
            .$if(engineOf(store) === 'postgres', (due) => due.forUpdate().skipLocked()),
        )
        .updateTable(table)
        .set((row) => ({ leased_until: now + leaseFor, attempts: row('attempts', '+', 1) }))
        .where('id', 'in', (row) => row.selectFrom('due').select('due.id'))
        // PostgreSQL reads the rows again once it has their locks, so this excludes a claim that was first.
        .where(isFree)
        .where(isPending)
        .returningAll()
        .execute();
      // The statement selects in that order, but does not return in it.
      const inTurn = rows.sort((row, other) => row[order] - other[order] || (row.id < other.id ? -1 : 1));
      return (newestFirst ? inTurn.reverse() : inTurn) as unknown as Database[Table][];
    },

    done: (store, { id }, at) =>
      erased
        ? store
            .updateTable(table)
            .set({ sent_at: at, gave_up_at: null, last_error: null, ...erased })
            .where('id', '=', id)
            .where('sent_at', 'is', null)
            .execute()
        : store.deleteFrom(table).where('id', '=', id).execute(),

    postpone: (store, row, { dueAt, error }) =>
      claimed(store, row).set({ due_at: dueAt, leased_until: 0, last_error: error }).execute(),

    release: (store, row, error) =>
      claimed(store, row)
        .set((one) => ({ leased_until: 0, attempts: one('attempts', '-', 1), last_error: error }))
        .execute(),

    giveUp: (store, row, { at, error }) =>
      claimed(store, row).set({ gave_up_at: at, leased_until: 0, last_error: error }).execute(),

    shift: (store, { now, by }) =>
      store
        .updateTable(table)
        .set((row) => ({ due_at: row('due_at', '-', by) }))
        .where('due_at', '>', now)
        .where(isPending)
        .execute(),

    endOutdatedPauses: (store, { now, longestPause }) =>
      store
        .updateTable(table)
        .set({ due_at: now })
        .where('due_at', '>', now)
        .where(isPending)
        .where((row) => row.or([row('created_at', '>', now), row('due_at', '>', now + longestPause)]))
        .execute(),

    backlog: (store, lanes) =>
      store
        .selectFrom(table)
        .select((row) => [row.fn.countAll<number>().as('queued'), row.fn.min('created_at').as('oldest')])
        .where(isPending)
        .$if(lanes !== undefined, (rows) => rows.where(laneOf(table), 'in', lanes?.length ? lanes : ['']))
        .executeTakeFirstOrThrow(),
  };
}
