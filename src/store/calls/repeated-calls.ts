import type { Store } from '../database.ts';
import type { PhoneCallsTable } from './phone-calls.ts';

interface RepeatedCallLookup {
  readonly phone: string;
  /** The hash that `PhoneCallsTable` stores. */
  readonly attempt: string;
  readonly now: number;
}

/** The newest call that the same attempt began, if it can still be confirmed. */
export const findRepeatedCall = (
  store: Store,
  { phone, attempt, now }: RepeatedCallLookup,
): Promise<PhoneCallsTable | undefined> =>
  store
    .selectFrom('phone_calls')
    .selectAll()
    .where('phone', '=', phone)
    .where('attempt', '=', attempt)
    .where('state', '!=', 'failed')
    .where('attempts_left', '>', 0)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
