import type { PostgresPoolClient } from 'kysely';
import { isLoopbackHost } from '../../contract/pages.ts';
import { budgetLeft } from '../time-budget.ts';
import { openPool, type Pool, type PoolOptions } from './pool.ts';

/** Splits a URL with several hosts, such as `postgres://user@one:5432,two:5432/name`, into one for each. */
export function hostsIn(url: string): string[] {
  const [, before = '', hosts = '', after = ''] = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => before + host + after) : [url];
}

/** A host of a URL without `sslmode` that is not on this machine; undefined if there is none. */
export function unencryptedHostIn(url: string): string | undefined {
  for (const one of hostsIn(url)) {
    const { hostname, searchParams } = new URL(one);
    const isLocal = hostname === '' || isLoopbackHost(hostname) || searchParams.get('host')?.startsWith('/');
    if (!isLocal && !searchParams.has('sslmode') && !searchParams.has('ssl')) return hostname;
  }
  return undefined;
}

/** Minimum time left (ms) for a try of another host. */
const leastTime = 200;
/** How long (ms) we trust that a connection is still to a primary. */
const primaryTrustedFor = 5000;

/** Opens connections to a host of the URL that accepts writes, and switches to another one if it stops doing so. */
export function openPools({ url, ...options }: PoolOptions): Pool {
  const pools = hostsIn(url).map((host) => openPool({ ...options, url: host }));
  const [only, another] = pools;
  if (only && !another) return only;

  const asked = new WeakMap<PostgresPoolClient, number>();
  let current = 0;

  async function isStandby(client: PostgresPoolClient): Promise<boolean> {
    const now = performance.now();
    if (now - (asked.get(client) ?? Number.NEGATIVE_INFINITY) < primaryTrustedFor) return false;
    const { rows } = await client.query<{ standby: boolean }>('select pg_is_in_recovery() as standby', []);
    if (rows[0]?.standby) return true;
    asked.set(client, now);
    return false;
  }

  /** Throws the host's error, or SQLSTATE 25006 for a standby, unless the connection accepts writes. */
  async function connectTo(pool: Pool): Promise<PostgresPoolClient> {
    const client = await pool.connect();
    try {
      if (!(await isStandby(client))) return client;
    } catch (error) {
      client.release();
      throw error;
    }
    client.release();
    throw Object.assign(new Error('this PostgreSQL is a standby'), { code: '25006' });
  }

  async function connect(): Promise<PostgresPoolClient> {
    for (let tries = 1; ; tries += 1) {
      const tried = current;
      try {
        return await connectTo(pools[tried] as Pool);
      } catch (error) {
        // If many callers are refused at the same time, only the first advances to the next host.
        if (current === tried) current = (tried + 1) % pools.length;
        if (tries === pools.length || budgetLeft() < leastTime) throw error;
      }
    }
  }

  return {
    connect,
    end: async () => {
      await Promise.all(pools.map((pool) => pool.end()));
    },
    state: () =>
      pools
        .map((pool) => pool.state())
        .reduce((sum, one) => ({
          busy: sum.busy + one.busy,
          idle: sum.idle + one.idle,
          waiting: sum.waiting + one.waiting,
        })),
  };
}
