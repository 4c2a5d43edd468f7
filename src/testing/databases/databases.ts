import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { inject } from 'vitest';
import { minutes } from '../../contract/durations.ts';
import { type Engine, openStore, type Store } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { afterwards } from '../afterwards.ts';
import { wantedEngines } from './engines.ts';

/** For `describe.each(engines)`: each is real. */
export const engines = wantedEngines();

/** For `runIf`: what only PostgreSQL does is left out where only SQLite is asked for. */
export const withPostgres = engines.includes('postgres');

/** A database by the settings that name it, as `openStore` and the server take them. */
export interface TestDatabase {
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

/** For `openStore`: a database that takes its time is no failure of what is tested, the machine may be busy. */
export const unhurried = { waitsFor: minutes(5) };

/** A new, empty database of an engine; it is gone when the test file has ended. */
export async function freshDatabase(engine: Engine): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-test-'));
  afterwards(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  if (engine === 'sqlite') return { dataDir };
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await askPostgres(`create database ${name}`);
  afterwards(() => askPostgres(`drop database ${name} with (force)`));
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return { dataDir, databaseUrl: url.href };
}

/** A new database of an engine with today's tables, opened; closed and gone when the test file has ended. */
export async function freshStore(engine: Engine): Promise<Store> {
  const database = await freshDatabase(engine);
  await migrate(database);
  const store = openStore(database, unhurried);
  afterwards(() => store.destroy());
  return store;
}

async function askPostgres(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  await client.query(statement);
  await client.end();
}
