// One PostgreSQL for all Vitest projects of a run that need it.
import { tmpdir } from 'node:os';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../store/migrate.ts';
import { possibleEngines } from './engines.ts';
import { type Postgres, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a PostgreSQL in which tests may create and drop databases. */
    postgresUrl: string;
    /** Name of a database in it with the current tables, as a template. */
    postgresWithTables: string;
  }
}

const withTables = 'with_tables';

interface Shared {
  readonly started: Promise<Postgres>;
  users: number;
}

// Each project loads this file again, but all in one process.
const place: { vestibulePostgres?: Shared | undefined } = globalThis as object;

/** Vitest calls this before a project's first test file, and calls the returned function after its last. */
export async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  if (!possibleEngines().includes('postgres')) return async () => undefined;
  place.vestibulePostgres ??= { started: startWithTables(), users: 0 };
  const shared = place.vestibulePostgres;
  shared.users += 1;
  const { url, stop } = await shared.started;
  project.provide('postgresUrl', url);
  project.provide('postgresWithTables', withTables);
  return async () => {
    shared.users -= 1;
    if (shared.users > 0) return;
    place.vestibulePostgres = undefined;
    stop();
  };
}

async function startWithTables(): Promise<Postgres> {
  const postgres = await startPostgres();
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`create database ${withTables}`);
  await client.end();
  const url = new URL(postgres.url);
  url.pathname = `/${withTables}`;
  await migrate({ dataDir: tmpdir(), databaseUrl: url.href });
  return postgres;
}
