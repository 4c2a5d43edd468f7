import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { popupDispose } from '../src/browser/constants.ts';

const tokens = readFileSync(new URL('../src/ui/tokens.css', import.meta.url), 'utf8');
const token = (name: string) => new RegExp(`--${name}: (.+);`).exec(tokens)?.[1];

test('the CSS duration of a fading popup equals the constant', () =>
  expect(token('popup-dispose')).toBe(`${popupDispose}ms`));

test.each([
  ['text', 'surface', 7],
  ['muted', 'surface', 4.5],
  ['muted', 'ground', 4.5],
  ['accent', 'surface', 4.5],
  ['accent', 'ground', 4.5],
  ['on-fill', 'fill', 4.5],
  ['on-fill', 'fill-strong', 4.5],
  ['fill', 'surface', 3],
  ['on-banner', 'banner', 7],
  ['danger', 'surface', 4.5],
  ['success', 'surface', 4.5],
  ['border', 'surface', 3],
])('%s on %s has a contrast of at least %d in light and dark', (front, back, least) => {
  for (const scheme of [0, 1]) {
    const [a, b] = [luminance(front, scheme), luminance(back, scheme)];
    expect((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)).toBeGreaterThanOrEqual(least);
  }
});

/** Relative luminance of a color token in light (0) or dark (1), as WCAG 2.2 defines it. */
function luminance(name: string, scheme: number): number {
  const both = [...(token(name) ?? '').matchAll(/#(\w{6})/g)].map(([, hex]) => hex as string);
  const color = both[scheme] ?? both[0] ?? '';
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
