import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openHasher } from './sha256.ts';

const ascii = (maxLength: number) => fc.string({ maxLength, unit: 'grapheme-ascii' });

async function firstWordOf(text: string): Promise<number> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return new DataView(hash).getUint32(0);
}

test('the hash of any text begins as that of the platform', async () => {
  const texts = fc.asyncProperty(ascii(200), fc.array(ascii(20)), async (prefix, rests) => {
    const hash = openHasher(prefix);
    for (const rest of rests.filter(({ length }) => (prefix.length % 64) + length < 56))
      expect(hash(rest)).toBe(await firstWordOf(prefix + rest));
  });
  await fc.assert(texts);
});

test('a text that needs another block is refused', () => {
  expect(() => openHasher('x'.repeat(40))('1'.repeat(16))).toThrow('too long');
});
