import { days } from '../contract/units.ts';
import { type RegistrationDaysTable, registrationDays } from '../store/accounts/registration-days.ts';
import type { Store } from '../store/database.ts';

type Steps = Omit<RegistrationDaysTable, 'day'>;

/** Where people stopped while they registered: the difference between one step and the next. */
const stopsOf = ({ asked, called, confirmed, used, registered, proven }: Steps) => ({
  before_the_call: asked - called,
  before_the_confirmation: called - confirmed,
  before_the_account: confirmed - used,
  before_the_proof_of_the_address: registered - proven,
});

/** How far the registrations of each day (UTC) came, from one time to another. */
export async function registrationsByDay(store: Store, { from, to, now }: { from: number; to: number; now: number }) {
  const rows = await registrationDays(store, { since: from, now });
  return rows.filter(({ day }) => days(day) <= to).map(({ day, ...steps }) => ({ at: dateOf(day), values: steps }));
}

const dateOf = (day: number): string => new Date(days(day)).toISOString().slice(0, 10);

/** How far registrations came in the last `count` days, today included, day by day (UTC) and together. */
export async function registrationFunnel(store: Store, { count, now }: { count: number; now: number }) {
  const rows = await registrationDays(store, { since: now - days(count - 1), now });
  const sum = (step: keyof Steps) => rows.reduce((total, row) => total + row[step], 0);
  const together = {
    asked: sum('asked'),
    called: sum('called'),
    confirmed: sum('confirmed'),
    used: sum('used'),
    registered: sum('registered'),
    proven: sum('proven'),
  };
  return {
    days: rows.map(({ day, ...steps }) => ({ day: dateOf(day), ...steps })),
    together,
    stopped: stopsOf(together),
  };
}
