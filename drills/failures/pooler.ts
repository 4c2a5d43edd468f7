import pg from 'pg';
import type { Drill } from '../drill.ts';
import { type DatabaseLocation, vestibule } from '../fixtures/environment.ts';
import { type Pooler, startPooler } from '../fixtures/pooler.ts';
import type { Stage } from '../fixtures/stage.ts';
import { attempt, registerPeople } from '../fixtures/visitors.ts';
import { judged, type Row } from '../table.ts';

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

export const drill: Drill = {
  promise: 'Behind PgBouncer in transaction mode, no command leaves settings on the shared connections.',
  maxConcurrent: 1,
  scenes: [{ name: 'transaction', play }],
};
