import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { brand } from './brand.ts';

const tokens = readFileSync('src/ui/tokens.css', 'utf8');

it.each([
  ['--fill', `light-dark(${brand.fill},`],
  ['--on-fill', brand.onFill],
  ['--light', `light-dark(${brand.light},`],
  ['--surface', `light-dark(${brand.surface}, ${brand.darkSurface})`],
])('%s in the style sheet is the color of the brand', (name, value) => expect(tokens).toContain(`${name}: ${value}`));
