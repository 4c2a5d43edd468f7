import type { Config } from './config.ts';

type SettingsWarning = Pick<Config, 'NODE_ENV' | 'PHONE_CONFIRMATION' | 'CALL_COUNTRIES'>;

/** What works, and that an operator should know of when the service starts; for the log. */
export function configWarnings({ NODE_ENV, PHONE_CONFIRMATION, CALL_COUNTRIES }: SettingsWarning): string[] {
  const callsEverywhere = NODE_ENV === 'production' && PHONE_CONFIRMATION !== 'off' && CALL_COUNTRIES.length === 0;
  return callsEverywhere
    ? [
        'CALL_COUNTRIES names no country: every country is called, with the careful limits against toll fraud; name those that you do business in',
      ]
    : [];
}
