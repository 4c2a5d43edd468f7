import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { callProviderNames, callSettings, openCallProviders } from './providers.ts';

const given = {
  UCALLER_SERVICE_ID: '103000',
  UCALLER_SECRET: 'secret',
  WEBHOOK_CALL_URL: 'https://calls.example/place',
  WEBHOOK_CALL_SECRET: 'a-secret-of-the-operator',
};
const read = (environment: Readonly<Record<string, string>>) => z.object(callSettings).parse(environment);

it('opens the providers in the order of CALL_PROVIDERS', () => {
  const names = (wanted: string[]) => openCallProviders(wanted, read(given)).map(({ name }) => name);
  expect(names(['webhook', 'ucaller'])).toEqual(['webhook', 'ucaller']);
  expect(names(['ucaller', 'webhook', 'ucaller'])).toEqual(['ucaller', 'webhook']);
  expect(names([])).toEqual([]);
});

it('names every missing setting', () => {
  expect(() => openCallProviders(['zvonok', 'ucaller', 'telnyx', 'pigeon'], read(given))).toThrow(
    [
      'ZVONOK_KEY: must be set, because CALL_PROVIDERS contains zvonok',
      'ZVONOK_CAMPAIGN_ID: must be set, because CALL_PROVIDERS contains zvonok',
      'TELNYX_API_KEY: must be set, because CALL_PROVIDERS contains telnyx',
      'TELNYX_VERIFY_PROFILE_ID: must be set, because CALL_PROVIDERS contains telnyx',
      `CALL_PROVIDERS: knows ${callProviderNames.join(', ')}, not pigeon`,
    ].join('\n'),
  );
});

it('defaults to the documented URL of each API', () => {
  const addresses = Object.entries(read({})).filter(([name, value]) => name.endsWith('_URL') && value !== undefined);
  expect(Object.fromEntries(addresses)).toEqual({
    UCALLER_URL: 'https://api.ucaller.ru/v1.0',
    SMSRU_URL: 'https://sms.ru',
    ZVONOK_URL: 'https://zvonok.com/manager/cabapi_external/api/v1',
    SMSC_URL: 'https://smsc.ru',
    PLUSOFON_URL: 'https://restapi.plusofon.ru',
    WHATSAPP_URL: 'https://graph.facebook.com/v23.0',
    TELEGRAM_GATEWAY_URL: 'https://gatewayapi.telegram.org',
    TELNYX_URL: 'https://api.telnyx.com/v2',
    TWILIO_URL: 'https://api.twilio.com',
  });
});

describe('invalid settings', () => {
  it.each([
    ['UCALLER_URL', 'http://api.ucaller.ru/v1.0'],
    ['UCALLER_URL', 'api.ucaller.ru'],
    ['WEBHOOK_CALL_URL', 'http://calls.internal/'],
    ['WEBHOOK_CALL_URL', 'http://127.0.0.1.evil.example/'],
    ['WEBHOOK_CALL_SECRET', 'short'],
    ['TWILIO_NUMBERS', '+13035550143'],
    ['TWILIO_NUMBERS', '13035550143,13035550178'],
    ['TWILIO_NUMBERS', '+13035550143,+442079460143'],
  ])('%s=%s is invalid', (name, value) => {
    const result = z.object(callSettings).safeParse({ [name]: value });
    expect(result.error?.issues.map(({ path }) => path[0])).toContain(name);
  });

  it.each([
    ['WEBHOOK_CALL_URL', 'http://127.0.0.1:8080/calls'],
    ['WEBHOOK_CALL_URL', 'http://localhost:8080/calls'],
    ['WEBHOOK_CALL_URL', 'http://[::1]:8080/calls'],
    ['SMSC_URL', 'https://smsc.kz'],
  ])('%s=%s is valid', (name, value) => {
    expect(read({ [name]: value })).toMatchObject({ [name]: value });
  });

  it('numbers may have spaces between them', () => {
    expect(read({ TWILIO_NUMBERS: ' +13035550143, +13035550178' }).TWILIO_NUMBERS).toEqual([
      '+13035550143',
      '+13035550178',
    ]);
  });
});
