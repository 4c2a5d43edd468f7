import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Pages depend on the build and the settings alone, so that only the first of all starts has to render them. */
const kept = join(import.meta.dirname, '..', '..', 'dist', 'drills', 'pages');
const within = (dataDir: string) => join(dataDir, 'pages');

/** Gives a new data folder what an earlier start has rendered. */
export function lendRenderings(dataDir: string): void {
  if (existsSync(kept) && !existsSync(within(dataDir))) cpSync(kept, within(dataDir), { recursive: true });
}

/** Keeps what a start has rendered for the next. */
export function keepRenderings(dataDir: string): void {
  const folder = within(dataDir);
  const current = readdirSync(folder);
  if (current.every((file) => existsSync(join(kept, file)))) return;
  cpSync(folder, kept, { recursive: true });
  // The service itself has forgotten those of old builds.
  for (const old of readdirSync(kept)) if (!current.includes(old)) rmSync(join(kept, old), { force: true });
}
