import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { languages } from '../contract/languages.ts';
import { startCallServer } from '../testing/call-server.ts';
import { call, providers, refusalOf, soon } from '../testing/provider-tests.ts';
import { fundsOf } from './provider-status.ts';
import { zvonok } from './providers/zvonok.ts';
import {
  ableProviders,
  askProvider,
  callProviderNames,
  callSettings,
  openCallProviders,
  spokenLanguagesOf,
} from './providers.ts';

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
  ])('%s=%s is valid', (name, value) => expect(read({ [name]: value })).toMatchObject({ [name]: value }));

  it('numbers may have spaces between them', () => {
    expect(read({ TWILIO_NUMBERS: ' +13035550143, +13035550178' }).TWILIO_NUMBERS).toEqual([
      '+13035550143',
      '+13035550178',
    ]);
  });
});

const url = 'http://127.0.0.1:1';
const { secret } = providers;
const anything = (base = url) => providers.webhook(base, 'voice', 'reverse', 'sms', 'telegram', 'whatsapp');
const [russian, calls] = [providers.smsRu(url), providers.ucaller(url)];
const campaign = (language: 'ru' | 'de') =>
  zvonok.open({
    ...{ ZVONOK_KEY: secret, ZVONOK_URL: url, ZVONOK_CAMPAIGN_ID: '1', ZVONOK_VOICE_CAMPAIGN_ID: '2' },
    ZVONOK_VOICE_LANGUAGE: language,
  });

describe('the providers that can reach a number', () => {
  const names = (way: 'reverse' | 'sms' | 'telegram' | 'whatsapp' | 'voice' | 'ring', phone: string) =>
    ableProviders([russian, anything()], { way, phone, locale: 'de' }).map(({ name }) => name);

  it.each<[string, string, Parameters<typeof names>[0], readonly string[]]>([
    ['a Russian mobile calls a Russian freephone number', '+79261234567', 'reverse', ['smsru', 'webhook']],
    ['a German mobile cannot call a Russian freephone number', '+4915123456789', 'reverse', ['webhook']],
    ['a mobile gets text messages', '+4915123456789', 'sms', ['smsru', 'webhook']],
    ['a landline gets no text messages', '+493012345678', 'sms', []],
    ['a landline gets no Telegram messages', '+493012345678', 'telegram', []],
    ['a mobile gets messages by WhatsApp', '+4915123456789', 'whatsapp', ['webhook']],
    ['a landline gets no messages by WhatsApp', '+493012345678', 'whatsapp', []],
    ['a VoIP number gets no text messages', '+493222123456', 'sms', []],
    ['a landline gets flash calls', '+493012345678', 'ring', ['smsru', 'webhook']],
    ['a landline gets voice calls', '+493012345678', 'voice', ['webhook']],
    [
      'an American number may be a mobile or a landline, and gets text messages',
      '+12025550147',
      'sms',
      ['smsru', 'webhook'],
    ],
  ])('%s', (_, phone, way, expected) => expect(names(way, phone)).toEqual(expected));

  it.each([
    ['+78005008275', '+4915123456789', 'rejected'],
    ['+18005550199', '+4915123456789', 'rejected'],
    ['+449098790001', '+447911123456', 'rejected'],
    ['+78005008275', '+79261234567', undefined],
    ['+4930123456', '+4915123456789', undefined],
    ['+4930123456', '+79261234567', undefined],
  ])('a reverse call to %s from %s: refused (%s) if that is impossible or expensive', async (number, phone, reason) => {
    const server = await startCallServer(() => [200, { number }]);
    const ask = () => askProvider(anything(server.url), { way: 'reverse', call: { ...call, phone }, signal: soon() });
    if (reason) expect((await refusalOf(ask(), [secret])).reason).toBe(reason);
    else expect(await ask()).toMatchObject({ kind: 'awaited', number });
  });
});

describe('voice calls', () => {
  it('are offered in the languages that a provider speaks', () => {
    expect(spokenLanguagesOf([calls])).toEqual(['ru']);
    expect(spokenLanguagesOf([calls, campaign('de')])).toEqual(['de', 'ru']);
    expect(spokenLanguagesOf([anything()])).toHaveLength(languages.length);
  });

  it.each([
    ['uCaller speaks four digits', calls, '4083'],
    ['other providers speak six digits', anything(), '408312'],
  ])('%s', async (_, provider, code) => {
    const spoken: string[] = [];
    const listening = {
      ...provider,
      async speak(ordered: { code: string }) {
        spoken.push(ordered.code);
        return { kind: 'ours' } as const;
      },
    };
    await askProvider(listening, { way: 'voice', call: { ...call, longCode: '408312' }, signal: soon() });
    expect(spoken).toEqual([code]);
  });
});

it.each([
  ['0 RUB', 'empty'],
  ['0.00 USD', 'empty'],
  ['-3.5 RUB', 'empty'],
  ['84.6 RUB', 'low'],
  ['4.01 USD', 'low'],
  ['9.99', 'low'],
  ['99.46', undefined],
  ['4122.56 RUB', undefined],
  ['400.00 USD', undefined],
  ['unlimited', undefined],
])('a balance of %s is %s', (balance, funds) => expect(fundsOf(balance)).toBe(funds));
