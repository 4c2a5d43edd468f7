import { describe, expect, test } from 'vitest';
import { languages } from '../contract/languages.ts';
import { callTexts } from './call-texts.ts';
import { smsSegments } from './sms-segments.ts';

const product = 'Twelve signs';
const host = 'account.example-company.co.jp1';

describe.each(languages.map(({ code }) => code))('a text message in %s', (language) => {
  test('with a name of 12 characters and a host of 30 is charged as one, and phones can fill it in', async () => {
    expect([product.length, host.length]).toEqual([12, 30]);
    const message = await callTexts({ product, publicUrl: `https://${host}` }).message(language, '987654');
    expect([smsSegments(message), message]).toEqual([1, expect.stringContaining(`\n@${host} #987654`)]);
    expect(message).toMatch(new RegExp(`^[^]*987654[^]*${product}|^[^]*${product}[^]*987654`));
  });

  test('omits the line for phones if it would be charged as two', async () => {
    const publicUrl = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.example`;
    const message = await callTexts({ product, publicUrl }).message(language, '987654');
    expect([smsSegments(message), message.includes('@')]).toEqual([1, false]);
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
