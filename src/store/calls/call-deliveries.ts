import type { Store } from '../database.ts';
import type { PhoneCallsTable } from './phone-calls.ts';

/** Records once that the provider reported a call or message as not delivered. */
export const markLost = (store: Store, { id, now }: { id: string; now: number }) =>
  store
    .updateTable('phone_calls')
    .set({ lost_at: now })
    .where('id', '=', id)
    .where('state', '=', 'placed')
    .where('lost_at', 'is', null)
    .execute();

/** Calls whose cost the provider may have refunded, and that expired in a period (ms since the epoch). */
export const findChargedCalls = (
  store: Store,
  { after, before, limit }: { after: number; before: number; limit: number },
): Promise<Pick<PhoneCallsTable, 'id' | 'provider' | 'reference'>[]> =>
  store
    .selectFrom('phone_calls')
    .select(['id', 'provider', 'reference'])
    .where('charge', 'is not', null)
    .where('expires_at', '>', after)
    .where('expires_at', '<=', before)
    .orderBy('expires_at')
    .limit(limit)
    .execute();

/** Ends the possibility of a refund. Returns the hits of the charge to exactly one of several parallel callers. */
export async function takeCharge(store: Store, id: string): Promise<readonly string[]> {
  const { charge } =
    (await store.selectFrom('phone_calls').select('charge').where('id', '=', id).executeTakeFirst()) ?? {};
  if (!charge) return [];
  const taken = await store
    .updateTable('phone_calls')
    .set({ charge: null })
    .where('id', '=', id)
    .where('charge', '=', charge)
    .returning('id')
    .executeTakeFirst();
  return taken ? (JSON.parse(charge) as string[]) : [];
}
