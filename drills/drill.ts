import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Engine } from '../src/store/database.ts';
import { type Postgres, startPostgres } from '../src/testing/databases/postgres.ts';
import { type DatabaseLocation, type Service, type Start, startService } from './fixtures/service.ts';

/** How many random points a scene with such points plays by default. */
export const usualPoints = 20;

export interface PlayOptions {
  readonly points?: number;
}

/** The stage of a scene: everything opened on it is closed at the end of the scene. */
export interface Stage extends PlayOptions {
  fresh(engine: Engine): Promise<FreshDatabase>;
  /** Starts the service as `npm start` does, in a separate process, and waits until it is ready. */
  start(start: Start): Promise<Service>;
  /** Registers a function to call at the end of the scene, in reverse order. */
  atEnd(close: () => unknown): void;
}

export function openStage(
  databases: Databases,
  options: PlayOptions,
): { readonly stage: Stage; close(): Promise<void> } {
  const closing: (() => unknown)[] = [];
  const atEnd = (close: () => unknown) => closing.push(close);
  const stage: Stage = {
    ...options,
    fresh: (engine) => databases.fresh(engine),
    atEnd,
    start: (start) => startService({ ...start, onSpawn: atEnd }),
  };
  return {
    stage,
    async close() {
      for (const one of closing.reverse()) await one();
    },
  };
}

/** Location of a new, empty database. */
export interface FreshDatabase extends DatabaseLocation {
  readonly engine: Engine;
}

export interface Databases {
  fresh(engine: Engine): Promise<FreshDatabase>;
  close(): Promise<void>;
}

/** SQLite files and, on demand, a separate, real PostgreSQL; closing removes them. */
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

/** A promise, and scenes on real servers that show whether it holds. */
export interface Drill {
  /** One sentence, as `npm run drill` lists it. */
  readonly promise: string;
  readonly scenes: readonly Scene[];
  /** How many scenes this machine can play side by side. */
  readonly maxConcurrent: number;
}

export interface Scene {
  readonly name: string;
  /** Milliseconds after which it counts as hung and its resources are closed; two minutes by default. */
  readonly within?: number;
  play(stage: Stage): Promise<Row>;
}

/** The result of one scene: its figures, and whether the promise held. */
export interface Row {
  readonly held: boolean;
  readonly seen: Readonly<Record<string, string | number>>;
  /** Why the scene could not be played to its end; it then says nothing about the promise. */
  readonly error?: string;
}

/** A row for several promises, which names the broken ones. */
export function judged(seen: Row['seen'], promises: Readonly<Record<string, boolean>>): Row {
  const broken = Object.keys(promises).filter((promise) => !promises[promise]);
  return { held: broken.length === 0, seen: { ...seen, ...(broken.length > 0 && { broken: broken.join('; ') }) } };
}

export const wordFor = ({ held, error }: Row): string => {
  if (error !== undefined) return 'NOT PLAYED';
  return held ? 'held' : 'BROKEN';
};

/** The cells, with a column for every figure of any row. */
export function cellsOf(rows: readonly Row[]): { columns: readonly string[]; cells: readonly string[][] } {
  const columns = [...new Set(rows.flatMap(({ seen }) => Object.keys(seen)))];
  const cells = rows.map((row) => [...columns.map((column) => String(row.seen[column] ?? '')), wordFor(row)]);
  return { columns: [...columns, ''], cells };
}

/** The rows as plain text. */
export function table(rows: readonly Row[]): string {
  const { columns, cells } = cellsOf(rows);
  const lines = [columns, ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const text = lines.map((line) =>
    line
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const errors = rows.flatMap(({ error }) => (error === undefined ? [] : [`\n${error}`]));
  return [...text, ...errors].join('\n');
}
