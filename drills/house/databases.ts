import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Engine } from '../../src/store/database.ts';
import { type Postgres, startPostgres } from '../../src/testing/databases/postgres.ts';

/** Where a new, empty database is. */
export interface FreshDatabase {
  readonly engine: Engine;
  readonly dataDir: string;
  readonly databaseUrl?: string;
}

export interface Databases {
  fresh(engine: Engine): Promise<FreshDatabase>;
  close(): Promise<void>;
}

/** SQLite files and, once one is asked for, a real PostgreSQL of their own; gone when closed. */
export function openDatabases(): Databases {
  let postgres: Promise<Postgres> | undefined;
  const folders: string[] = [];
  return {
    async fresh(engine) {
      const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-drill-'));
      folders.push(dataDir);
      if (engine === 'sqlite') return { engine, dataDir };
      const name = `drill_${randomUUID().replaceAll('-', '')}`;
      postgres ??= startPostgres();
      const { url } = await postgres;
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return { engine, dataDir, databaseUrl: Object.assign(new URL(url), { pathname: `/${name}` }).href };
    },
    async close() {
      (await postgres)?.stop();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
