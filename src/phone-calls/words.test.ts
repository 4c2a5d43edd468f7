import { describe, expect, test } from 'vitest';
import { languages } from '../contract/languages.ts';
import { callTexts, smsSegments } from './call-texts.ts';

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
