import type { Store } from '../database.ts';
import type { PhoneCallsTable } from './phone-calls.ts';

interface RepeatedCallLookup {
  readonly phone: string;
  /** As `PhoneCallsTable` keeps it. */
  readonly attempt: string;
  readonly now: number;
}

/** The newest call that the same attempt has begun, as long as something can come of it. */
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
