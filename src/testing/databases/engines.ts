import type { Engine } from '../../store/database.ts';

const all: readonly Engine[] = ['sqlite', 'postgres'];

/** Both, unless a developer selects fewer, for example with `ENGINES=sqlite`. */
export function wantedEngines(): readonly Engine[] {
  const wanted = process.env.ENGINES?.split(',').map((name) => name.trim());
  if (!wanted) return all;
  const unknown = wanted.filter((name) => !all.some((engine) => engine === name));
  if (unknown.length > 0) throw new Error(`ENGINES: ${unknown.join(', ')} is unknown, use ${all.join(', ')}`);
  return all.filter((engine) => wanted.includes(engine));
}
