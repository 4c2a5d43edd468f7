import { expect, test } from 'vitest';
import { SettingsError } from '../src/contract/settings.ts';
import { readConfig } from '../src/server/settings/config.ts';
import { missingSettings } from './steps/required-settings.mjs';

/** Settings that the service itself calls missing. */
function refused(environment: Readonly<Record<string, string>>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.message.split('\n').flatMap((line) => /(\w+): must be set in production/.exec(line)?.[1] ?? []);
  }
}

const production = { NODE_ENV: 'production' };

test.each<Readonly<Record<string, string>>>([
  {},
  { NODE_ENV: 'test' },
  production,
  { ...production, PHONE_CONFIRMATION: 'off', PUBLIC_URL: ' ' },
  { ...production, DATABASE_URL: 'postgres://a@b/c', SMTP_URL: 'smtp://mail.example.com' },
  { ...production, PHONE_CONFIRMATION: 'off', PUBLIC_URL: 'https://a.example', SMTP_URL: 'smtp://mail.example.com' },
])('the settings that an install asks for are those that the service misses with %j', (environment) => {
  expect(missingSettings(environment)).toEqual(refused(environment));
});
