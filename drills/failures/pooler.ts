import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../src/testing/free-port.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { openFolder, requireInstalled, startProgram } from '../fixtures/programs.ts';
import { type DatabaseLocation, vestibule } from '../fixtures/service.ts';
import { attempt, registerPeople } from '../fixtures/visitors.ts';

const writes = 20;
const people = 10;

async function play(stage: Stage): Promise<Row> {
  const direct = await stage.fresh('postgres');
  const pooler = await startPooler(stage, direct.databaseUrl ?? '');
  const behind = { ...direct, databaseUrl: pooler.url };
  await vestibule(direct, ['migrate']);
  const served = pooler.knowsPreparedStatements ? await serve(stage, behind) : undefined;
  if (!served) await check(behind);
  const written = await writeThrough(pooler);
  return judged(
    {
      PgBouncer: pooler.version,
      'writes after doctor and migrate --check': `${written.done} of ${writes}`,
      'settings left behind': written.settings.join(', ') || 'none',
      'refreshes through it': served ? `${served.refreshed} of ${people}` : 'not played: requires PgBouncer 1.21',
    },
    {
      'every write succeeds': written.done === writes,
      'no setting is left behind': written.settings.length === 0,
      'the service works': served === undefined || served.refreshed === people,
    },
  );
}

async function serve(stage: Stage, database: DatabaseLocation): Promise<{ refreshed: number }> {
  const { url } = await stage.start({ database });
  const registered = await registerPeople(url, people);
  await check(database);
  const refreshes = await Promise.all(registered.map(({ browser }) => attempt(browser.post('/auth/refresh'))));
  return { refreshed: refreshes.filter((response) => response?.status === 200).length };
}

/** Runs the commands of a timer, or of an operator after an alert, several times to reach every shared connection. */
async function check(database: DatabaseLocation): Promise<void> {
  for (let time = 0; time < 4; time += 1) {
    // They fail behind an old PgBouncer, but must not leave settings behind even then.
    await vestibule(database, ['doctor']).catch(() => undefined);
    await vestibule(database, ['migrate', '--check']).catch(() => undefined);
  }
}

/** Writes through every shared connection, and queries each for settings left by earlier clients. */
async function writeThrough({ url }: Pooler): Promise<{ done: number; settings: string[] }> {
  const clients = await Promise.all(
    Array.from({ length: writes }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    }),
  );
  const outcomes = await Promise.allSettled(
    clients.map(async (client, at) => {
      await client.query(`create table written_${at} (id integer)`);
      const { rows } = await client.query("select name from pg_settings where source = 'session'");
      return rows.map(({ name }) => String(name));
    }),
  );
  await Promise.all(clients.map((client) => client.end()));
  const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
  const settings = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  return { done, settings: [...new Set(settings)].filter((name) => !ofPoolers.includes(name)) };
}

/** Settings that PgBouncer restores for each client. */
const ofPoolers = ['client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings', 'application_name'];

interface Pooler {
  readonly url: string;
  /** The version, such as `1.24`. */
  readonly version: string;
  /** Since 1.21, PgBouncer supports prepared statements in transaction mode, which the service needs. */
  readonly knowsPreparedStatements: boolean;
}

/** PgBouncer in transaction mode, with few connections that all clients share. */
async function startPooler(stage: Stage, databaseUrl: string): Promise<Pooler> {
  const [file = ''] = requireInstalled('pgbouncer');
  const version = /\d+\.\d+/.exec(execFileSync(file, ['--version'], { encoding: 'utf8' }))?.[0] ?? '0.0';
  const knowsPreparedStatements = Number(version.split('.')[0]) > 1 || Number(version.split('.')[1]) >= 21;
  const port = await freePort();
  const settings = join(openFolder(stage), 'pgbouncer.ini');
  writeFileSync(settings, settingsFor({ databaseUrl, port, knowsPreparedStatements }));
  const isRoot = process.getuid?.() === 0;
  await startProgram(stage, { file, args: [...(isRoot ? ['-u', 'nobody'] : []), settings], listensOn: port });
  const url = Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href;
  return { url, version, knowsPreparedStatements };
}

interface Settings {
  readonly databaseUrl: string;
  readonly port: number;
  readonly knowsPreparedStatements: boolean;
}

function settingsFor({ databaseUrl, port, knowsPreparedStatements }: Settings): string {
  const { hostname, port: serverPort, username, password } = new URL(databaseUrl);
  const server = `host=${hostname} port=${serverPort} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`;
  return [
    '[databases]',
    `* = ${server}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 4',
    ...(knowsPreparedStatements ? ['max_prepared_statements = 200'] : []),
    '',
  ].join('\n');
}

export const drill: Drill = {
  promise: 'Behind PgBouncer in transaction mode, no command leaves settings on the shared connections.',
  maxConcurrent: 1,
  scenes: [{ name: 'transaction', play }],
};
