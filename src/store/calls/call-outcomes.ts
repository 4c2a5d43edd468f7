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

/** Recent calls of one provider. */
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
