import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { drillNames, loadDrill } from './drills.ts';
import { mutate } from './prove.ts';

const drills = await Promise.all(drillNames.map(async (name) => [name, await loadDrill(name)] as const));

/** Their proof takes minutes (`npm run drill prove`); that each still has its place is seen at once. */
describe.each(drills)('each mistake that the drill %s must notice', (_name, drill) => {
  test.each(drill.mutations.map((mutation) => [mutation.mistake, mutation] as const))(
    'has one place in the product, and a scene: %s',
    (_mistake, mutation) => {
      const source = readFileSync(mutation.file, 'utf8');
      expect(mutate(source, mutation)).not.toBe(source);
      expect(drill.scenes.map(({ name }) => name)).toContain(mutation.scene);
    },
  );
});
