import { sql } from 'kysely';
import { engineOf, type Store } from '../database.ts';
import { orderedId } from '../ordered-id.ts';
import { type Placeholders, preparedWith } from '../prepared.ts';
import type { Visitor } from '../visitor.ts';
import { sessionLifetime } from './sessions.ts';

interface BeginningAgain {
  readonly sessionId: string;
  readonly accountId: string;
  /** As it was read with the hash that the password was found to be right by. */
  readonly passwordChangedAt: number;
  /** Counts the attempt, which was right. */
  readonly lock: string;
  readonly deviceHash: string;
  /** The session that the browser had, which it leaves. */
  readonly former: string | undefined;
  readonly visitor: Visitor;
  readonly now: number;
}

interface Given extends Omit<BeginningAgain, 'visitor' | 'former'> {
  /** Empty where there is none. */
  readonly former: string;
  readonly ip: string;
  readonly userAgent: string;
  readonly expiresAt: number;
  readonly lineId: string;
}

/** In PostgreSQL's order of locks as everywhere: what is the account's own waits until the account is held. */
const begin = preparedWith((_store, given: Placeholders<Given>) => {
  const { accountId, sessionId, deviceHash, ip, userAgent, now } = given;
  return sql<{ id: string }>`
    with held as (
      select id from accounts
      where id = ${accountId} and password_changed_at = ${given.passwordChangedAt}
        and locked_at is null and delete_at is null
      for no key update
    ), freed as (
      update lockouts
      set failures = 0, locked_until = 0, pending = case when pending > 0 then pending - 1 else 0 end
      where key = ${given.lock} and exists (select from held)
    ), begun as (
      insert into sessions (id, account_id, generation, rotated_at, created_at, expires_at, late_answers, shared, ip, user_agent)
      select ${sessionId}::text, id, 0, ${now}::bigint, ${now}::bigint, ${given.expiresAt}::bigint, 0, 0,
        ${ip}::text, ${userAgent}::text
      from held
    ), remembered as (
      insert into devices (token_hash, account_id, created_at, last_seen_at, ip, user_agent)
      select ${deviceHash}::text, id, ${now}::bigint, ${now}::bigint, ${ip}::text, ${userAgent}::text from held
      on conflict (token_hash, account_id) do update
      set last_seen_at = excluded.last_seen_at, ip = excluded.ip, user_agent = excluded.user_agent
    ), left_behind as (
      update sessions set ended_at = ${now}, end_reason = 'signed_out'
      where id = ${given.former} and ended_at is null and exists (select from held)
    ), recorded as (
      insert into activity (id, account_id, at, kind, ip, user_agent)
      select ${given.lineId}::text, id, ${now}::bigint, 'signed_in', ${ip}::text, ${userAgent}::text from held
    )
    select id from held`;
});

/**
 * What a sign-in in a known browser comes to, in one statement of PostgreSQL and so in one round trip. False when it is
 * anything else, such as a password that was changed meanwhile or a deletion to take back: then nothing was done.
 */
export async function beginAtOnce(store: Store, { visitor, former = '', ...again }: BeginningAgain): Promise<boolean> {
  // SQLite waits for nothing between the statements of a transaction.
  if (engineOf(store) === 'sqlite') return false;
  const { ip, userAgent } = visitor;
  const expiresAt = again.now + sessionLifetime;
  return (await begin(store, { ...again, former, ip, userAgent, expiresAt, lineId: orderedId() })).length > 0;
}
