import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { seconds } from '../../contract/units.ts';
import { makeFolder } from '../make-folder.ts';
import { openProbe } from './abandoned.ts';

/** A server that accepts writes although another one of its cluster was promoted after it. */
export interface OutdatedPrimary {
  /** Host and port, without user or password. */
  readonly host: string;
  readonly timeline: number;
  readonly highest: number;
}

/** Each promotion begins a timeline with a higher number, so the highest one of a cluster is its true primary's. */
export type Timelines = ReturnType<typeof openTimelines>;

interface Options {
  /** A URL for each host. */
  readonly hosts: readonly string[];
  /** Where this node stores the highest timeline; if empty, it stores nothing. */
  readonly dataDir: string;
  readonly readOnly: boolean;
  readonly report: (outdated: OutdatedPrimary) => void;
}

interface Position {
  readonly system: string;
  /** Null for a standby. */
  readonly timeline: number | null;
}

const askEvery = seconds(5);
/** How long an outdated primary counts as up after it was last seen. */
const outdatedFor = seconds(30);
/** Maximum wait of the first caller for the state of the other hosts. */
const firstLook = seconds(1);

/** The control file shows a new timeline only after a checkpoint; the name of the current WAL file does immediately. */
const whereIs = `select (select system_identifier from pg_control_system())::text as system,
  case when pg_is_in_recovery() then null
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end as timeline`;

export function openTimelines({ hosts, dataDir, readOnly, report }: Options) {
  const highest = new Map(readRemembered(dataDir));
  const known = new WeakMap<PostgresPoolClient, Position & { readonly at: number }>();
  const met = new Map<string, OutdatedPrimary & { readonly at: number }>();

  function note(host: string, { system, timeline }: Position): void {
    if (timeline === null) return void met.delete(host);
    const before = highest.get(system) ?? 0;
    if (timeline > before) {
      highest.set(system, timeline);
      // On the first timeline, no server has been promoted yet.
      if (!readOnly && timeline > 1) remember(dataDir, highest);
    }
    if (timeline >= before) return void met.delete(host);
    const outdated = { host, timeline, highest: before };
    if (!met.has(host)) report(outdated);
    met.set(host, { ...outdated, at: performance.now() });
  }

  async function lookAt(url: string): Promise<void> {
    const client = openProbe(url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<Position>(whereIs);
      if (rows[0]) note(nameOf(url), rows[0]);
    } finally {
      await client.end();
    }
  }
  const lookAtAll = async () => void (await Promise.allSettled(hosts.map(lookAt)));

  let looking: NodeJS.Timeout | undefined;
  let first: Promise<unknown> | undefined;
  /** A node that only talks to one host would never detect the promotion of another one. */
  function begin(): Promise<unknown> | undefined {
    if (hosts.length < 2) return undefined;
    looking ??= setInterval(lookAtAll, askEvery).unref();
    first ??= Promise.race([lookAtAll(), new Promise((resolve) => setTimeout(resolve, firstLook).unref())]);
    return first;
  }

  async function positionOf(client: PostgresPoolClient): Promise<Position | undefined> {
    const asked = known.get(client);
    const now = performance.now();
    if (asked && now - asked.at < askEvery) return asked;
    const { rows } = await client.query<Position>(whereIs, []).catch((error: { code?: string }) => {
      // A service that only resembles PostgreSQL, or that hides this from its users.
      if (/^(?:42|0A)/.test(error.code ?? '')) return { rows: [] };
      throw error;
    });
    const [position] = rows;
    if (position) known.set(client, { ...position, at: now });
    return position;
  }

  return {
    /** Throws (SQLSTATE 25006) unless a connection's server is on the highest known timeline. */
    async check(client: PostgresPoolClient): Promise<void> {
      await begin();
      const position = await positionOf(client);
      if (!position) return;
      const { host, port } = client as unknown as pg.Client;
      note(`${host}:${port}`, position);
      const { system, timeline } = position;
      const expected = highest.get(system) ?? 0;
      if (timeline === null || timeline >= expected) return;
      const message = `this PostgreSQL is on timeline ${timeline}, and another one was promoted to ${expected}`;
      throw Object.assign(new Error(message), { code: '25006' });
    },
    /** Outdated primaries seen recently. */
    outdated: (): readonly OutdatedPrimary[] =>
      [...met.values()].filter(({ at }) => at > performance.now() - outdatedFor),
    stop: (): void => clearInterval(looking),
  };
}

export const reportTo =
  (log: { error(outdated: OutdatedPrimary, message: string): void }) =>
  (outdated: OutdatedPrimary): void =>
    log.error(
      outdated,
      'a PostgreSQL server accepts writes although another one was promoted after it, so this node does not use it: stop it, and make it a standby',
    );

const nameOf = (url: string): string => {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || 5432}`;
};

const fileIn = (dataDir: string): string => join(dataDir, 'database-timeline.json');

/** Timelines by the identifier of their cluster: a new cluster begins at 1 again. */
function readRemembered(dataDir: string): [string, number][] {
  if (dataDir === '') return [];
  try {
    return Object.entries(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Record<string, number>);
  } catch {
    return [];
  }
}

function remember(dataDir: string, highest: ReadonlyMap<string, number>): void {
  if (dataDir === '') return;
  try {
    makeFolder(dataDir);
    const file = fileIn(dataDir);
    writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(highest)), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch {
    // A full disk must not keep a node from its database; it also checks the other hosts.
  }
}
