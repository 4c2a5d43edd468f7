import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { budgetLeft, spend } from '../time-budget.ts';
import { openAbandoned, openProbe } from './abandoned.ts';
import { type BoundedClient, clientsOf, connectionLost, lostConnection, outOfTime } from './client.ts';
import { withCheckedCertificate } from './ssl-mode.ts';
import { beginning, serverLimitComesEarlier as reserve } from './transaction-limits.ts';

export interface PoolOptions {
  readonly url: string;
  /** Connections at once. */
  readonly size: number;
  /** Milliseconds for one statement or one transaction, the wait for a connection included; may be infinite. */
  readonly waitsFor: number;
  readonly readOnly?: boolean;
  /** Throws unless a connection's server may be used. */
  readonly examine?: (client: PostgresPoolClient) => Promise<void>;
}

export interface Pool extends PostgresPool {
  /** Connections at work and at rest, and callers who wait for one. */
  state(): { readonly busy: number; readonly idle: number; readonly waiting: number };
}

const int8 = 20;
/** How often (ms) somebody may try whether a server that fell silent answers again. */
// mutation: silent-for-a-minute
const tryAgainAfter = 250;

/** Opens connections as they are needed. While the server says nothing, everybody but one who tries is refused at once. */
export function openPool({ url, size, waitsFor, readOnly = false, examine }: PoolOptions): Pool {
  const server = watch(waitsFor - reserve);
  const pool = new pg.Pool({
    connectionString: withCheckedCertificate(url),
    // Our times fit a double exactly until the year 287396, so bigint columns come as numbers.
    types: {
      getTypeParser: (oid: number, format?: 'text') => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    } as pg.CustomTypesConfig,
    Client: clientsOf({
      names: new Map(),
      begin: beginning({ waitsFor, readOnly }),
      readOnly,
      ...server,
    }) as unknown as typeof pg.Client,
    max: size,
    connectionTimeoutMillis: Number.isFinite(waitsFor) ? waitsFor - reserve : 0,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const abandoned = openAbandoned(() => openProbe(url));

  async function connect(): Promise<PostgresPoolClient> {
    const began = performance.now();
    const waits = Math.min(waitsFor, budgetLeft());
    if (waits <= 0) throw outOfTime();
    server.admit();
    let client: pg.PoolClient;
    try {
      client = await within(pool.connect(), waits);
    } catch (error) {
      const failure = error as Error & { code?: string };
      failure.code ??= lostConnection;
      // pg-pool names a cause only where the server did not respond, and none where every connection is at work.
      if (failure.cause) server.silent(waits);
      spend(performance.now() - began);
      throw error;
    }
    const bounded = client as unknown as BoundedClient;
    bounded.deadline = began + waits;
    const release = client.release.bind(client);
    client.release = () => {
      spend(performance.now() - began);
      // The server undoes what a connection leaves open when it goes.
      if (!bounded.isAbandoned) return release(bounded.getTransactionStatus() !== 'I');
      void abandoned.ended(bounded).then(() => release(true));
    };
    const connected = client as unknown as PostgresPoolClient;
    try {
      await examine?.(connected);
    } catch (error) {
      client.release();
      throw error;
    }
    return connected;
  }
  return {
    connect,
    end: () => {
      abandoned.stop();
      return pool.end();
    },
    state: () => ({ busy: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: pool.waitingCount }),
  };
}

/** A connection that comes after its caller has left goes back to the pool. */
function within(connecting: Promise<pg.PoolClient>, milliseconds: number): Promise<pg.PoolClient> {
  if (!Number.isFinite(milliseconds)) return connecting;
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(outOfTime());
    }, milliseconds);
    connecting.then(
      (client) => {
        clearTimeout(timer);
        if (isLate) client.release();
        else resolve(client);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** Whether the server answers at all: whoever has waited in vain spares the others the wait. */
function watch(shouldAnswerWithin: number) {
  let heardAt = 0;
  let triesFrom = 0;
  return {
    heard: () => {
      heardAt = performance.now();
      triesFrom = 0;
    },
    /** One connection that is lost on its way says nothing of the server, while others are answered. */
    silent: (waited: number) => {
      const now = performance.now();
      if (waited >= shouldAnswerWithin && heardAt < now - waited) triesFrom = now + tryAgainAfter;
    },
    /** Throws while the server is silent, except for one caller at a time who tries. */
    admit: () => {
      if (triesFrom === 0) return;
      const now = performance.now();
      if (now < triesFrom) throw connectionLost('the database does not respond');
      triesFrom = now + tryAgainAfter;
    },
  };
}
