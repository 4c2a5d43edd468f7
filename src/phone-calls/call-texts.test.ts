import { describe, expect, it, test } from 'vitest';
import { languages } from '../contract/languages.ts';
import { startCallServer } from '../testing/call-server.ts';
import { testClock } from '../testing/outbox.ts';
import { call, providers } from '../testing/provider-tests.ts';
import { callTexts, hasSender, senderFor, senderList, signatureFor, smsSegments } from './call-texts.ts';
import { openCalls } from './calls.ts';
import type { CallProvider } from './provider.ts';
import { needsOf } from './provider-status.ts';

const product = 'Twelve signs';
const host = 'account.example-company.co.jp1';
const code = '987654';
const country = 'DE';

describe.each(languages.map(({ code }) => code))('a text message in %s', (language) => {
  test('with a name of 12 characters and a host of 30 is charged as one, and phones can fill it in', async () => {
    expect([product.length, host.length]).toEqual([12, 30]);
    const message = await callTexts({ product, publicUrl: `https://${host}` }).message({ language, code, country });
    expect([smsSegments(message), message]).toEqual([1, expect.stringContaining(`\n@${host} #987654`)]);
    expect(message).toMatch(new RegExp(`^[^]*987654[^]*${product}|^[^]*${product}[^]*987654`));
  });

  test('omits the line for phones if it would be charged as two', async () => {
    const publicUrl = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example`;
    const message = await callTexts({ product, publicUrl }).message({ language, code, country });
    expect([smsSegments(message), message.includes('@')]).toEqual([1, false]);
  });
});

describe('a text message', () => {
  const texts = callTexts({
    product,
    publicUrl: `https://${host}`,
    senders: { CN: '【示例】', 'twilio/CN': 'Example', TR: 'Example' },
  });

  test('to Japan has no web address, which operators there filter out', async () => {
    const message = await texts.message({ language: 'ja', code, country: 'JP' });
    expect(message).toContain(code);
    expect(message).not.toContain(host);
  });

  test('to China begins with the registered signature, has no web address, and is charged as one', async () => {
    const message = await texts.message({ language: 'zh', code, country: 'CN' });
    expect(message).toMatch(/^【示例】[^【】@]*987654/u);
    expect(message).not.toContain(host);
    expect(smsSegments(message)).toBe(1);
  });

  test('to a country with a registered sender has the usual text', async () => {
    const usual = await texts.message({ language: 'tr', code, country: 'DE' });
    expect(await texts.message({ language: 'tr', code, country: 'TR' })).toBe(usual);
  });
});

test.each([
  ['a'.repeat(160), 1],
  ['a'.repeat(161), 2],
  ['€'.repeat(80), 1],
  ['€'.repeat(81), 2],
  ['я'.repeat(70), 1],
  ['я'.repeat(71), 2],
  [`${'a'.repeat(70)}ş`, 2],
  ['я'.repeat(135), 3],
])('%s is charged as %i', (message, segments) => expect(smsSegments(message)).toBe(segments));

const service = `MG${'0123456789abcdef'.repeat(2)}`;
const senders = senderList.parse(`TR:Example, SA:Example-AD,twilio/AE:${service},smsc/TR:+902125550100,CN:【示例】`);

describe('SMS_SENDERS', () => {
  it('names a sender by country, or by provider and country', () => {
    expect(senderFor(senders, { provider: 'twilio', country: 'TR' })).toBe('Example');
    expect(senderFor(senders, { provider: 'smsc', country: 'TR' })).toBe('+902125550100');
    expect(senderFor(senders, { provider: 'twilio', country: 'AE' })).toBe(service);
    expect(senderFor(senders, { provider: 'smsc', country: 'AE' })).toBeUndefined();
    expect(senderFor(senders, { provider: 'twilio', country: 'DE' })).toBeUndefined();
  });

  it('names a signature, which is not a sender', () => {
    expect(signatureFor(senders, 'CN')).toBe('【示例】');
    expect(senderFor(senders, { provider: 'twilio', country: 'CN' })).toBeUndefined();
    expect(signatureFor(senders, 'TR')).toBeUndefined();
  });

  const wrong = ['', 'TR', 'TR:', 'Example', 'UK:Example', 'TR:a name that is too long', 'pigeon/TR:Example'];

  it.each([...wrong, 'twilio/CN:【示例】'])('“%s” is invalid', (value) =>
    expect(senderList.safeParse(value).success).toBe(false),
  );
});

interface SendingProvider {
  readonly name: string;
  readonly open: (url: string) => CallProvider;
  readonly accepted: object;
  readonly asked: (sender: string | undefined) => object;
}

const sending: readonly SendingProvider[] = [
  {
    name: 'sms.ru',
    open: providers.smsRu,
    accepted: { status: 'OK', sms: { 1: { status: 'OK' } } },
    asked: (sender) => ({ msg: 'text', from: sender }),
  },
  {
    name: 'smsc',
    open: providers.smsc,
    accepted: { id: 7, cnt: 1 },
    asked: (sender) => ({ mes: 'text', sender: sender && '+902125550100' }),
  },
  {
    name: 'twilio',
    open: (url) => providers.twilio(url),
    accepted: { sid: `SM${'fedcba9876543210'.repeat(2)}` },
    asked: (sender) => ({ Body: 'text', From: sender ?? '+13035550143' }),
  },
  {
    name: 'webhook',
    open: (url) => providers.webhook(url, 'sms'),
    accepted: {},
    asked: (sender) => ({ message: 'text', sender }),
  },
];

describe.each(sending)('a text message by $name', ({ open, accepted, asked }) => {
  it.each([
    ['+905321234567', 'Example'],
    ['+4915123456789', undefined],
  ])('to %s is from %s', async (phone, sender) => {
    const server = await startCallServer(() => [200, accepted]);
    const log = { info: () => undefined, warn: () => undefined };
    const calls = openCalls({ providers: [open(server.url)], senders, log, now: testClock().now });
    await calls.reach('sms', { ...call, phone, message: 'text' });
    const [{ fields } = expect.fail('no request')] = server.received;
    expect(fields).toMatchObject(JSON.parse(JSON.stringify(asked(sender))));
    if (sender === undefined) expect(JSON.stringify(fields)).not.toContain('Example');
  });
});

describe('the needs of a country', () => {
  const ways = ['sms'];

  it.each(['TR', 'SA', 'AE', 'CN'])('end with a sender for it: %s', (country) => {
    expect(needsOf(country, { ways, senders: {} })).toEqual([
      expect.objectContaining({ says: expect.stringContaining('SMS_SENDERS') }),
    ]);
    expect(hasSender(senders, country)).toBe(true);
    expect(needsOf(country, { ways, senders })).toEqual([]);
  });

  it('do not include those that a sender cannot meet', () => {
    expect(needsOf('US', { ways, senders: { US: '+13035550143' } })).toHaveLength(1);
    expect(needsOf('TR', { ways: ['ring'], senders: {} })).toEqual([]);
  });
});
