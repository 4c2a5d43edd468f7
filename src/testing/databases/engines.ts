import type { Engine } from '../../store/database.ts';

const all: readonly Engine[] = ['sqlite', 'postgres'];

/**
 * `ENGINES` selects the engines of every test that opens a database: `ENGINES=sqlite` while developing, and
 * `ENGINES=sqlite,postgres` in the full run. Without it, a test has the engines that it needs.
 */
export function requestedEngines(): readonly Engine[] | undefined {
  const requested = process.env.ENGINES?.split(',').map((name) => name.trim());
  if (!requested) return undefined;
  const unknown = requested.filter((name) => !all.some((engine) => engine === name));
  if (unknown.length > 0) throw new Error(`ENGINES: ${unknown.join(', ')} is unknown, use ${all.join(', ')}`);
  return all.filter((engine) => requested.includes(engine));
}

/** The engines that tests may open. */
export const possibleEngines = (): readonly Engine[] => requestedEngines() ?? all;
