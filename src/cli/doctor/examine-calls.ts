import type { Calls } from '../../phone-calls/calls.ts';
import { offeredWays } from '../../phone-calls/confirmation-ways.ts';
import { needsOf } from '../../phone-calls/status/country-needs.ts';
import type { ExaminedProvider } from '../../phone-calls/status/examine-provider.ts';
import { fundsOf } from '../../phone-calls/status/funds.ts';
import type { Config } from '../../server/settings/config.ts';
import { configWarnings } from '../../server/settings/config-warnings.ts';
import type { Finding } from './finding.ts';

/** Checks the account of each provider, and lists the requirements of the countries in CALL_COUNTRIES. */
export async function examineCalls(config: Config, calls: Calls): Promise<Finding[]> {
  if (config.PHONE_CONFIRMATION === 'off') return [{ part: 'calls', state: 'ok', says: 'PHONE_CONFIRMATION is off' }];
  const examined = await calls.examine();
  const ways = offeredWays(config, calls.ways);
  return [
    ...examined.map(asFinding),
    ...configWarnings(config).map((says): Finding => ({ part: 'call countries', state: 'warning', says })),
    ...config.CALL_COUNTRIES.flatMap((country) =>
      needsOf(country, { ways, senders: config.SMS_SENDERS }).map(
        (says): Finding => ({ part: `calls to ${country}`, state: 'warning', says }),
      ),
    ),
  ];
}

function asFinding({ provider, balance, warning, refused }: ExaminedProvider): Finding {
  const part = `calls: ${provider}`;
  if (refused) return { part, state: 'failed', says: `${refused.reason}: ${refused.message}` };
  const funds = balance === undefined ? undefined : fundsOf(balance);
  const short = { empty: 'which is empty: it places no calls', low: 'which is low' };
  const says =
    [balance && `balance ${balance}`, funds && short[funds], warning].filter(Boolean).join(', ') || 'responds';
  if (funds === 'empty') return { part, state: 'failed', says };
  return { part, state: warning || funds ? 'warning' : 'ok', says };
}
