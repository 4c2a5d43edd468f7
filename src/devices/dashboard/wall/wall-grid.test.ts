import { expect, test } from 'vitest';
import { wallGrid } from './wall-grid.part.ts';

const screens = [
  [1280, 640],
  [1920, 980],
  [3840, 1990],
  [1080, 1820],
] as const;

test.each([
  [1, '1 state', '1 state'],
  [4, '2 state', '1 state'],
  [12, '3 state', '2 state'],
  [63, '8 name', '4 name'],
  [200, '14 name', '8 name'],
  [1000, '44 nothing', '24 nothing'],
])('%i tiles fill a wide and a high screen', (tiles, wide, high) => {
  const of = (width: number, height: number) => {
    const { columns, shows } = wallGrid({ width, height, tiles, larger: 0 });
    return `${columns} ${shows}`;
  };
  expect(screens.map(([width, height]) => of(width, height))).toEqual([wide, wide, wide, high]);
});

test('larger tiles leave room for all others', () => {
  for (const [width, height] of screens)
    for (const tiles of [60, 200, 300, 1000]) {
      const { columns, wide, high, shows } = wallGrid({ width, height, tiles, larger: 12 });
      const rows = Math.ceil((tiles + 12 * (wide * high - 1)) / columns);
      const [tileWidth, tileHeight] = [width / columns, height / rows];
      // Squares are nearly square, and names have lines.
      const ratio = tileWidth / tileHeight;
      expect(ratio).toBeGreaterThan(0.7);
      expect(ratio).toBeLessThan(shows === 'nothing' ? 1.4 : 3);
      expect(wide * tileWidth).toBeGreaterThan(width / 9);
    }
});
