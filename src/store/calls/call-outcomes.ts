import { sql } from 'kysely';
import type { CallWay } from '../../contract/call-ways.ts';
import type { Store } from '../database.ts';
import type { PhoneCallsTable } from './phone-calls.ts';

export type CallOutcome = Pick<
  PhoneCallsTable,
  'phone' | 'way' | 'state' | 'provider' | 'created_at' | 'confirmed_at' | 'expires_at'
>;

/** Outcomes of the calls and messages since a time (ms since the epoch), as far as stored; without links by email. */
export const callOutcomes = (store: Store, { since }: { since: number }): Promise<CallOutcome[]> =>
  store
    .selectFrom('phone_calls')
    .select(['phone', 'way', 'state', 'provider', 'created_at', 'confirmed_at', 'expires_at'])
    .where('created_at', '>=', since)
    .where('way', '!=', 'mail')
    .execute();

export interface ProviderRate {
  readonly provider: string;
  readonly placed: number;
  readonly confirmed: number;
}

/** Confirmation rates by provider, for one way and one country; without calls that may still arrive. */
export async function providerRates(
  store: Store,
  { way, country, since, now }: { way: CallWay; country: string; since: number; now: number },
): Promise<ProviderRate[]> {
  const rows = await store
    .selectFrom('phone_calls')
    .select(({ fn }) => [
      'provider',
      fn.countAll<number | string>().as('placed'),
      sql<number | string>`sum(case when state = 'confirmed' then 1 else 0 end)`.as('confirmed'),
    ])
    .where('country', '=', country)
    .where('way', '=', way)
    .where('created_at', '>', since)
    .where('provider', 'is not', null)
    .where((call) =>
      call.or([
        call('state', '=', 'confirmed'),
        call.and([
          call('state', '=', 'placed'),
          call.or([call('expires_at', '<=', now), call('lost_at', 'is not', null)]),
        ]),
      ]),
    )
    .groupBy('provider')
    .execute();
  return rows.map(({ provider, placed, confirmed }) => ({
    provider: provider ?? '',
    placed: Number(placed),
    confirmed: Number(confirmed),
  }));
}

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
