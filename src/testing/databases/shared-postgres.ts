// One PostgreSQL for all Vitest projects of a run that need it.
import type { TestProject } from 'vitest/node';
import { wantedEngines } from './engines.ts';
import { type Postgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL in which tests may create and drop databases. */
    postgresUrl: string;
  }
}

interface Shared {
  readonly started: Promise<Postgres>;
  users: number;
}

// Each project loads this file anew, but all in one process.
const place: { vestibulePostgres?: Shared | undefined } = globalThis as object;

/** Vitest calls this before a project's first test file, and what it returns after the last of all. */
export async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  if (!wantedEngines().includes('postgres')) return async () => undefined;
  place.vestibulePostgres ??= { started: startPostgres(), users: 0 };
  const shared = place.vestibulePostgres;
  shared.users += 1;
  const { url, stop } = await shared.started;
  project.provide('postgresUrl', url);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    place.vestibulePostgres = undefined;
    stop();
  };
}
