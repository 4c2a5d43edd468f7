import type { Config } from './config.ts';

type SettingsWarning = Pick<Config, 'NODE_ENV' | 'PHONE_CONFIRMATION' | 'CALL_COUNTRIES'>;

/** Warnings about valid but risky settings, logged when the service starts. */
export function configWarnings({ NODE_ENV, PHONE_CONFIRMATION, CALL_COUNTRIES }: SettingsWarning): string[] {
  const callsEverywhere = NODE_ENV === 'production' && PHONE_CONFIRMATION !== 'off' && CALL_COUNTRIES.length === 0;
  return callsEverywhere
    ? [
        'CALL_COUNTRIES is not set: calls are placed to every country, under the stricter limits against toll fraud; list the countries where you do business',
      ]
    : [];
}
