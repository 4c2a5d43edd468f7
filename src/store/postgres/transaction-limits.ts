import { seconds } from '../../contract/units.ts';

/**
 * How much earlier (ms) the server's limit is, so that a connection survives a statement that is only slow. The limit
 * is still later than the second after which the server detects a deadlock.
 */
export const serverLimitComesEarlier = 400;

const idleInTransaction = seconds(5);

interface Limits {
  /** Milliseconds for one statement; may be infinite. */
  readonly timeBudget: number;
  readonly readOnly: boolean;
}

/**
 * The first message of a transaction. Its limits end with the transaction: behind PgBouncer in transaction mode,
 * settings of a session would stay on a connection that other clients use next.
 */
export function beginning({ timeBudget, readOnly }: Limits): string {
  const isBounded = Number.isFinite(timeBudget);
  return [
    // Our transactions rely on this level. A role may have a higher default, whose snapshot `create index concurrently` in
    // a migration would wait for forever.
    readOnly ? 'begin isolation level read committed read only' : 'begin isolation level read committed',
    `set local statement_timeout = ${isBounded ? timeBudget - serverLimitComesEarlier : 0}`,
    `set local idle_in_transaction_session_timeout = ${isBounded ? idleInTransaction : 0}`,
  ].join('; ');
}
