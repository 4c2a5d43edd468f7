import { describe, expect, it } from 'vitest';
import { languages } from '../contract/languages.ts';
import { startCallServer } from '../testing/call-server.ts';
import { call, providers, refusalOf, soon } from '../testing/provider-tests.ts';
import { zvonok } from './providers/zvonok.ts';
import { ableProviders, askProvider, spokenLanguagesOf } from './providers.ts';

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
