import { type Generated, sql } from 'kysely';
import { engineOf, orderedId, type Store, type StoreTransaction } from './database.ts';
import { recentIn } from './wrong-clock.ts';

/** Rate limits in the database. One row for each counted request: an exact sliding window, the same on every node. */
interface RateLimitHitsTable {
  id: string;
  key: string;
  at: number;
  /** How many units of the limit it used, at least 1. */
  units: Generated<number>;
}

declare module './database.ts' {
  interface Database {
    limit_hits: RateLimitHitsTable;
  }
}

/** At most `limit` requests of a key in any `within` milliseconds, or that many units if requests differ in cost. */
export interface RateLimit {
  readonly key: string;
  readonly limit: number;
  readonly within: number;
  /** How many units this request uses, 1 or more; 1 if absent. */
  readonly units?: number;
  /** Another limit of the same key counts the request. */
  readonly onlyChecked?: true;
}

export type RateLimitResult =
  | { readonly state: 'counted'; readonly hits: readonly string[] }
  /** A limit is reached; `freeAt` is when (ms since the epoch) all of them accept a request again. */
  | { readonly state: 'refused'; readonly freeAt: number };

/** Counts a request against all limits, unless one of them is reached: then it counts against none. */
export function countRequest(store: Store, limits: readonly RateLimit[], now: number): Promise<RateLimitResult> {
  return store.transaction().execute((trx) => countRequestInTransaction(trx, limits, now));
}

/** The same within a transaction, which commits or rolls back the count with its other changes. */
export async function countRequestInTransaction(
  trx: StoreTransaction,
  limits: readonly RateLimit[],
  now: number,
): Promise<RateLimitResult> {
  await lockKeys(trx, limits);
  const freeAt = await rateLimitsFreeAt(trx, limits, now);
  if (freeAt > now) return { state: 'refused', freeAt };
  const counting = limits.filter(({ onlyChecked }) => !onlyChecked);
  const rows = counting.map(({ key, units = 1 }) => ({ id: orderedId(), key, at: now, units }));
  await trx.insertInto('limit_hits').values(rows).execute();
  return { state: 'counted', hits: rows.map(({ id }) => id) };
}

/** When (ms since the epoch) all limits accept a request; `now` or earlier if they do already. Counts nothing. */
export async function rateLimitsFreeAt(store: Store, limits: readonly RateLimit[], now: number): Promise<number> {
  let freeAt = 0;
  for (const { key, limit, within, units = 1 } of limits) {
    const hits = await store
      .selectFrom('limit_hits')
      .select(['at', 'units'])
      .where('key', '=', key)
      .where(recentIn(sql.ref('at'), { now, within }))
      .orderBy('at', 'desc')
      .limit(limit)
      .execute();
    // A request larger than the whole limit never fits.
    if (units > limit) freeAt = Math.max(freeAt, now + within);
    let used = units;
    for (const hit of hits) {
      used += hit.units;
      if (used <= limit) continue;
      freeAt = Math.max(freeAt, hit.at + within);
      break;
    }
  }
  return freeAt;
}

interface Used {
  readonly key: string;
  readonly now: number;
  readonly within: number;
}

export async function unitsUsed(store: Store, { key, now, within }: Used): Promise<number> {
  const { units } = await store
    .selectFrom('limit_hits')
    .select(({ fn }) => fn.sum<number | string | null>('units').as('units'))
    .where('key', '=', key)
    .where(recentIn(sql.ref('at'), { now, within }))
    .executeTakeFirstOrThrow();
  return Number(units ?? 0);
}

/**
 * The units that each key used since a time (ms since the epoch), and when it first did: of this key, and of all with
 * further criteria. Reads the whole table, as `forgetLimits` does: for operators.
 */
export const unitsByKey = (store: Store, { key, since }: { key: string; since: number }) =>
  store
    .selectFrom('limit_hits')
    .select(({ fn }) => ['key', fn.sum<number | string>('units').as('units'), fn.min('at').as('first')])
    .where((hit) =>
      hit.or([hit('key', '=', key), sql<boolean>`substr(key, 1, cast(${key.length + 1} as integer)) = ${`${key}:`}`]),
    )
    .where('at', '>', since)
    .groupBy('key')
    .execute();

/** Counts further hits of a request that turned out to cost more, even beyond the limits. */
export async function countAdditionalHits(
  store: Store,
  { key, times, at }: { key: string; times: number; at: number },
) {
  const rows = Array.from({ length: times }, () => ({ id: orderedId(), key, at }));
  if (rows.length > 0) await store.insertInto('limit_hits').values(rows).execute();
}

/** Removes the hits of a request that had no effect. */
export const refundHits = (store: Store, hits: readonly string[]) =>
  store.deleteFrom('limit_hits').where('id', 'in', hits).execute();

/**
 * Deletes the hits of these keys, and of every key that begins with one of them. PostgreSQL scans the whole table for
 * this: in its collation, a prefix may not be a range of the index.
 */
export async function forgetLimits(trx: StoreTransaction, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const continues =
      engineOf(trx) === 'sqlite'
        ? sql<boolean>`(key > ${`${key}:`} and key < ${`${key};`})`
        : sql<boolean>`starts_with(key, ${`${key}:`})`;
    await trx
      .deleteFrom('limit_hits')
      .where((hit) => hit.or([hit('key', '=', key), continues]))
      .execute();
  }
}

/** Makes nodes that count the same key wait for each other; sorted, so they cannot deadlock. SQLite does so already. */
async function lockKeys(trx: StoreTransaction, limits: readonly RateLimit[]): Promise<void> {
  if (engineOf(trx) === 'sqlite') return;
  for (const key of limits.map((limit) => limit.key).sort()) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
  }
}

/**
 * Every rate limit in the database, with the subject that it counts by. Those of an account or of a proven email address
 * are deleted with the account. The others also protect other people, so they only expire.
 */
const subjects = {
  enrolment: 'account',
  'operators-links-to': 'account',
  'operators-change-to': 'email',
  // An operator or a key.
  'operators-links-by': 'source',
  'email-change': 'account',
  'email-change-to': 'email',
  'alarm-test': 'account',
  'alarm-preview': 'account',
  'alarm-emails': 'account',
  'alarm-calls': 'account',
  'alarm-texts': 'account',
  'alarm-telegram': 'account',
  'second-step-lost': 'email',
  'email-confirmation': 'email',
  'notices-to': 'email',
  'undo-links-to': 'email',
  recovery: 'email',
  'recovery-by': 'source',
  code: 'email',
  'code-by': 'source',
  'code-day': 'email',
  'phone-mail': 'email',
  // A solved task, which one request may use.
  task: 'source',
  'phone-rings': 'phone',
  'phone-messages': 'phone',
  'phone-accounts-rings': 'phone',
  'phone-accounts-messages': 'phone',
  'phone-way': 'phone',
  'phone-wrong': 'phone',
  'phone-confirmed': 'phone',
  'phone-pause': 'phone',
  'phone-tries': 'phone',
  'phone-checks': 'phone',
  'phone-attempts': 'phone',
  'phone-attempts-of': 'source',
  'phone-address': 'source',
  'phone-day': 'source',
} as const satisfies Record<string, 'account' | 'email' | 'phone' | 'source'>;

type LimitName = keyof typeof subjects;
type Subject = (typeof subjects)[LimitName];

const names = Object.keys(subjects) as LimitName[];

/** The key of a limit. Its subject comes first; further criteria may follow. */
export const limitKey = (name: LimitName, ...countedBy: readonly [subject: string, ...others: string[]]): string =>
  [name, ...countedBy].join(':');

/** Prefix of the keys of limits that look back more than a day, up to a week. */
export const countedForAWeek = 'week:';

/** The key of a cap against toll fraud. Prefixes, countries and networks have no owner, so these only expire. */
export const weeklyKey = (
  name: 'prefix' | 'country' | 'network' | 'elsewhere',
  ...countedBy: readonly string[]
): string => countedForAWeek + [name, ...countedBy].join(':');

/** The key of the daily budget for all phone confirmations together. */
export const budgetKey = 'phone-calls';

/** The part of it that alarms have used. */
export const alarmBudgetKey = 'alarm-phone-calls';

/** The keys of all limits of a subject. Keys with further criteria begin with one of these. */
export const limitKeysOf = (subject: Subject, id: string): string[] =>
  names.filter((name) => subjects[name] === subject).map((name) => limitKey(name, id));
