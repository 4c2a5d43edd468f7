import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addressMatcher, readConfig, settingNames } from './config.ts';

describe('the settings', () => {
  test('none is needed', () => {
    expect(readConfig({})).toMatchObject({ PORT: 3000, PUBLIC_URL: 'http://localhost:3000', developmentInbox: true });
  });

  test.each([
    [{ PORT: 'x' }, /^PORT: must be a whole number$/],
    [
      { PORT: '70000', PASSWORD_MIN_LENGTH: '5' },
      /^PORT: must be at most 65535\nPASSWORD_MIN_LENGTH: must be at least 6$/,
    ],
    [{ PUBLIC_URL: 'localhost' }, /^PUBLIC_URL: must be a URL/],
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL: must be a URL that begins with postgres:\/\//],
    [{ SECRET_KEY: 'short' }, /^SECRET_KEY: must have at least 32/],
    [{ TRUSTED_PROXIES: '10.0.0.0/40' }, /^TRUSTED_PROXIES: must be addresses/],
    [{ PLACE_ORIGINS: 'https://a.example,nonsense' }, /^PLACE_ORIGINS: must be a URL/],
    [{ CALL_PROVIDERS: 'webhook' }, /^WEBHOOK_CALL_URL: must be set.*\nWEBHOOK_CALL_SECRET: must be set/],
    [{ CALL_PROVIDERS: 'carrier-pigeon' }, /^CALL_PROVIDERS: knows/],
    [
      {
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://door.example',
        SMTP_URL: 'smtps://mail.example',
        PHONE_CONFIRMATION: 'off',
        DATABASE_URL: 'postgres://db.example/vestibule',
      },
      /^SECRET_KEY: must be set in production with DATABASE_URL/,
    ],
    [{ NODE_ENV: 'production', PUBLIC_URL: 'http://127.evil.example' }, /PUBLIC_URL: must begin with https/],
    [
      { NODE_ENV: 'production', PUBLIC_URL: 'http://door.example' },
      /^SMTP_URL: must be set.*\nCALL_PROVIDERS: must be set.*\nPUBLIC_URL: must begin with https/,
    ],
  ])('%j is refused by name', (environment, message) => expect(() => readConfig(environment)).toThrow(message));

  test('production starts with what it needs', () => {
    const environment = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://door.example/',
      SMTP_URL: 'smtps://mail.example',
      PHONE_CONFIRMATION: 'off',
    };
    expect(readConfig(environment)).toMatchObject({ PUBLIC_URL: 'https://door.example', developmentInbox: false });
  });

  test('.env.example tells of every setting and of no other', () => {
    const example = readFileSync(join(import.meta.dirname, '..', '..', '.env.example'), 'utf8');
    const told = [...example.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
    expect(told.toSorted()).toEqual([...settingNames].toSorted());
  });

  test.each([
    ['10.1.2.3', true],
    ['192.0.2.1', true],
    ['192.0.2.2', false],
    ['2001:db8::1', true],
    ['::1', false],
  ])('%s is trusted: %s', (address, trusted) => {
    expect(addressMatcher(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])(address)).toBe(trusted);
  });
});
