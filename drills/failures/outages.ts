import pg from 'pg';
import { startPostgres } from '../../src/testing/databases/postgres.ts';
import type { DatabaseLocation } from '../fixtures/environment.ts';
import { openProxy } from '../fixtures/proxy.ts';
import type { Stage } from '../fixtures/stage.ts';

/** An outage of a database, and its end. */
export interface Outage {
  readonly ground: DatabaseLocation;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

type OpenOutage = (stage: Stage) => Promise<Outage>;

const onTheWay =
  (begin: 'refuse' | 'hold' | ((proxy: Awaited<ReturnType<typeof openProxy>>) => void)): OpenOutage =>
  async (stage) => {
    const { dataDir, databaseUrl = '' } = await stage.fresh('postgres');
    const proxy = await openProxy(databaseUrl);
    stage.atEnd(() => proxy.close());
    return {
      ground: { dataDir, databaseUrl: proxy.url },
      begin: () => (typeof begin === 'string' ? proxy[begin]() : begin(proxy)),
      end: () => proxy.heal(),
    };
  };

/** The service uses its own role, whose connection limit drops to zero for a while. */
const outOfConnections: OpenOutage = async (stage) => {
  const { dataDir, databaseUrl = '' } = await stage.fresh('postgres');
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  stage.atEnd(() => admin.end());
  const name = new URL(databaseUrl).pathname.slice(1);
  await admin.query(`create role ${name} login password 'drill'`);
  await admin.query(`alter database ${name} owner to ${name}`);
  return {
    ground: { dataDir, databaseUrl: Object.assign(new URL(databaseUrl), { username: name, password: 'drill' }).href },
    async begin() {
      await admin.query(`alter role ${name} connection limit 0`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name]);
    },
    async end() {
      await admin.query(`alter role ${name} connection limit -1`);
    },
  };
};

/** Uses a separate PostgreSQL server. */
const restarted: OpenOutage = async (stage) => {
  const { dataDir } = await stage.fresh('sqlite');
  const postgres = await startPostgres();
  stage.atEnd(() => postgres.stop());
  return { ground: { dataDir, databaseUrl: postgres.url }, begin: () => postgres.restart(), end: () => undefined };
};

export const outages: Readonly<Record<string, OpenOutage>> = {
  down: onTheWay('refuse'),
  hung: onTheWay('hold'),
  'slow (50 ms each way)': onTheWay((proxy) => proxy.delay(50)),
  'out of connections': outOfConnections,
  restarted,
};
