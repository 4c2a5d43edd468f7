import type { PostgresPool, PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { budgetLeft, spend, yieldsConnections } from '../time-budget.ts';
import { openAbandoned, openProbe } from './abandoned.ts';
import {
  type BoundedClient,
  beginning,
  clientsOf,
  connectionLost,
  lostConnection,
  outOfTime,
  serverLimitComesEarlier as reserve,
  withCheckedCertificate,
} from './client.ts';

export interface PoolOptions {
  readonly url: string;
  /** Maximum number of connections. */
  readonly size: number;
  /** Milliseconds for one statement or transaction, including the wait for a connection; may be infinite. */
  readonly timeBudget: number;
  readonly readOnly?: boolean;
  /** Throws unless a connection's server may be used. */
  readonly check?: (client: PostgresPoolClient) => Promise<void>;
}

export interface Pool extends PostgresPool {
  /** Busy and idle connections, and callers waiting for one. */
  state(): { readonly busy: number; readonly idle: number; readonly waiting: number };
}

const int8 = 20;
/** Connections that a flood leaves to refreshes, which share theirs. A small pool has fewer. */
const reservedConnections = 3;
/** How often (ms) one caller may try a server that does not respond. */
const tryAgainAfter = 250;

/**
 * Opens connections on demand. While the server does not respond, refuses all callers immediately but one, which tries.
 */
export function openPool({ url, size, timeBudget, readOnly = false, check }: PoolOptions): Pool {
  const server = watch(timeBudget - reserve);
  const pool = new pg.Pool({
    connectionString: withCheckedCertificate(url),
    // Our times fit a double exactly until the year 287396, so bigint columns come as numbers.
    types: {
      getTypeParser: (oid: number, format?: 'text') => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    } as pg.CustomTypesConfig,
    Client: clientsOf({
      names: new Map(),
      begin: beginning({ timeBudget, readOnly }),
      readOnly,
      ...server,
    }) as unknown as typeof pg.Client,
    max: size,
    connectionTimeoutMillis: Number.isFinite(timeBudget) ? timeBudget - reserve : 0,
    keepAlive: true,
  });
  // The pool replaces an idle connection that breaks; without a listener, the error would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) =>
    client.on('error', () => {
      (client as unknown as BoundedClient).isBroken = true;
    }),
  );
  const abandoned = openAbandoned(() => openProbe(url));
  const share = openConnectionShare(size - Math.min(reservedConnections, Math.floor(size / 3)));

  async function connect(): Promise<PostgresPoolClient> {
    const began = performance.now();
    const waits = Math.min(timeBudget, budgetLeft());
    if (waits <= 0) throw outOfTime();
    server.admit();
    let client: pg.PoolClient;
    let giveBack: (() => void) | undefined;
    try {
      if (yieldsConnections()) giveBack = await share.take(waits, outOfTime);
      client = await within(pool.connect(), waits - (performance.now() - began));
    } catch (error) {
      giveBack?.();
      const failure = error as Error & { code?: string };
      failure.code ??= lostConnection;
      // pg-pool names a cause only if the server did not respond, but not if every connection is busy.
      if (failure.cause) server.silent(waits);
      spend(performance.now() - began);
      throw error;
    }
    const bounded = client as unknown as BoundedClient;
    bounded.deadline = began + waits;
    const releaseClient = client.release.bind(client);
    const release = (destroys: boolean) => {
      releaseClient(destroys);
      giveBack?.();
    };
    client.release = () => {
      spend(performance.now() - began);
      // When a connection closes, the server rolls back its open transaction.
      if (!bounded.isAbandoned) return release(bounded.isReadOnly || bounded.getTransactionStatus() !== 'I');
      void abandoned.ended(bounded).then(() => release(true));
    };
    const connected = client as unknown as PostgresPoolClient;
    try {
      await check?.(connected);
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
    state: () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + share.waiting,
    }),
  };
}

/** Returns a connection to the pool if it opens after its caller has given up. */
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

/** Tracks whether the server responds: one caller's timeout spares the others the wait. */
function watch(responseTimeout: number) {
  let heardAt = 0;
  let triesFrom = 0;
  return {
    heard: () => {
      heardAt = performance.now();
      triesFrom = 0;
    },
    /** A single lost connection says nothing about the server while it responds on others. */
    silent: (waited: number) => {
      const now = performance.now();
      if (waited >= responseTimeout && heardAt < now - waited) triesFrom = now + tryAgainAfter;
    },
    /** Throws while the server does not respond, except for one caller at a time that tries. */
    admit: () => {
      if (triesFrom === 0) return;
      const now = performance.now();
      if (now < triesFrom) throw connectionLost('the database does not respond');
      triesFrom = now + tryAgainAfter;
    },
  };
}

/** Lends at most `max` connections, in the order of the requests. */
function openConnectionShare(max: number) {
  let lent = 0;
  const queue = new Set<() => void>();

  function lend(): () => void {
    lent += 1;
    let isBack = false;
    return () => {
      if (isBack) return;
      isBack = true;
      lent -= 1;
      const [next] = queue;
      next?.();
    };
  }

  return {
    /** Resolves to what gives the connection back, once the share has one; rejects with `late` after `waits` ms. */
    async take(waits: number, late: () => Error): Promise<() => void> {
      if (lent < max) return lend();
      return new Promise((resolve, reject) => {
        const timer = Number.isFinite(waits) ? setTimeout(giveUp, waits) : undefined;
        function leave(): void {
          queue.delete(begin);
          clearTimeout(timer);
        }
        function begin(): void {
          leave();
          resolve(lend());
        }
        function giveUp(): void {
          leave();
          reject(late());
        }
        queue.add(begin);
      });
    },
    get waiting() {
      return queue.size;
    },
  };
}
