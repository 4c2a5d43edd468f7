import { expect, it } from 'vitest';
import { orderedId } from './database.ts';

it('returns ids in order, thousands in a millisecond, even after the clock is set back', () => {
  const ids = [2_000_000_000_000, 2_000_000_000_000, 1_000_000_000_000].flatMap((now) =>
    Array.from({ length: 5000 }, () => orderedId(now)),
  );
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});
