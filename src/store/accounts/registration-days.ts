import { sql } from 'kysely';
import { days } from '../../contract/units.ts';
import type { Store } from '../database.ts';

/** How far the registrations of one day came, counted from the rows of calls and accounts while these exist. */
export interface RegistrationDaysTable {
  /** Days since the epoch, in UTC. */
  day: number;
  /** Phone numbers for which someone requested a call or a message. */
  asked: number;
  /** Those that got one. */
  called: number;
  /** Those that someone confirmed. */
  confirmed: number;
  /** Those whose confirmation an account used. */
  used: number;
  /** Accounts that were registered; imported ones do not count. */
  registered: number;
  /** Those whose address is proven by now. */
  proven: number;
}

declare module '../database.ts' {
  interface Database {
    registration_days: RegistrationDaysTable;
  }
}

/** A day is counted anew as long as the clean-up keeps all its calls: people also return the next day. */
const counted = 6;
export const registrationDaysKept = 400;

export const dayOf = (at: number): number => Math.floor(at / days(1));

/** Counts the last days from the rows themselves, so that every node gets the same numbers. */
async function countDays(store: Store, now: number): Promise<RegistrationDaysTable[]> {
  const from = dayOf(now) - counted;
  const since = days(from);
  const day = sql`cast(created_at / ${sql.lit(days(1))} as integer)`;
  const calls = await sql<Omit<RegistrationDaysTable, 'registered' | 'proven'>>`
    select day, count(*) as asked, sum(called) as called, sum(confirmed) as confirmed, sum(used) as used
    from (
      select ${day} as day,
        max(case when state in ('placed', 'confirmed') then 1 else 0 end) as called,
        max(case when state = 'confirmed' then 1 else 0 end) as confirmed,
        max(case when used_at is not null then 1 else 0 end) as used
      from phone_calls where created_at >= ${since} group by 1, phone
    ) as numbers group by day`.execute(store);
  // Every registration gives this consent, and no import does.
  const accounts = await sql<Pick<RegistrationDaysTable, 'day' | 'registered' | 'proven'>>`
    select ${day} as day, count(*) as registered, sum(case when email_proven_at is null then 0 else 1 end) as proven
    from accounts where created_at >= ${since}
      and exists (select 1 from consents where account_id = accounts.id and kind = 'personal_data')
    group by 1`.execute(store);
  const none = { asked: 0, called: 0, confirmed: 0, used: 0, registered: 0, proven: 0 };
  return Array.from({ length: counted + 1 }, (_, later) => {
    const found = [...calls.rows, ...accounts.rows].filter((row) => Number(row.day) === from + later);
    const numbers = Object.entries(Object.assign({}, ...found) as object).map(([name, value]) => [name, Number(value)]);
    return { ...none, ...Object.fromEntries(numbers), day: from + later };
  });
}

/** Stores the numbers of the last days, before the clean-up deletes their calls. Nodes may do this simultaneously. */
export async function storeRegistrationDays(store: Store, now: number): Promise<void> {
  await store
    .insertInto('registration_days')
    .values(await countDays(store, now))
    .onConflict((conflict) =>
      conflict.column('day').doUpdateSet(({ ref }) => ({
        asked: ref('excluded.asked'),
        called: ref('excluded.called'),
        confirmed: ref('excluded.confirmed'),
        used: ref('excluded.used'),
        registered: ref('excluded.registered'),
        proven: ref('excluded.proven'),
      })),
    )
    .execute();
}

/** The days from `since` (ms since the epoch) on, the oldest first, with the numbers of the last days as of now. */
export async function registrationDays(
  store: Store,
  { since, now }: { since: number; now: number },
): Promise<readonly RegistrationDaysTable[]> {
  const stored = await store.selectFrom('registration_days').selectAll().where('day', '>=', dayOf(since)).execute();
  const byDay = new Map([...stored, ...(await countDays(store, now))].map((row) => [row.day, row]));
  return [...byDay.values()].filter(({ day }) => day >= dayOf(since)).sort((one, other) => one.day - other.day);
}
