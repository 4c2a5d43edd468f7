import { existsSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { drillNames, loadDrill } from './drills.ts';
import { marks, mutate } from './mutate.ts';

const drills = await Promise.all(drillNames.map(async (name) => [name, await loadDrill(name)] as const));
const places = drills.flatMap(([, drill]) => drill.mutations.map(({ place }) => place));

/** Proving them takes minutes (`npm run drill prove`); this takes seconds. */
describe.each(drills)('each mistake that the drill %s must notice', (_name, drill) => {
  test.each(drill.mutations.map((mutation) => [mutation.mistake, mutation] as const))(
    'has one place in the product, and a scene or a test: %s',
    (_mistake, mutation) => {
      expect(mutate(mutation).source).not.toBe('');
      const scenes = drill.scenes.map(({ name }) => name);
      expect(scenes.includes(mutation.scene) || existsSync(mutation.scene)).toBe(true);
    },
  );
});

it('every mark in the product belongs to one mistake', () => {
  expect(
    marks()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(places.toSorted());
});
