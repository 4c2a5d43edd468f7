import type { Store } from './database.ts';
import type { PhoneCallsTable } from './phone-calls.ts';

export type CallOutcome = Pick<
  PhoneCallsTable,
  'phone' | 'way' | 'state' | 'provider' | 'created_at' | 'confirmed_at' | 'expires_at'
>;

/** What has become of the calls and messages since then, as far as they are kept; a link by mail is none of them. */
export const callOutcomes = (store: Store, { since }: { since: number }): Promise<CallOutcome[]> =>
  store
    .selectFrom('phone_calls')
    .select(['phone', 'way', 'state', 'provider', 'created_at', 'confirmed_at', 'expires_at'])
    .where('created_at', '>=', since)
    .where('way', '!=', 'mail')
    .execute();
