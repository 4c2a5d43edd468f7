import pg from 'pg';
import { seconds } from '../../contract/units.ts';
import { withCheckedCertificate } from './client.ts';

/** How often we query which abandoned connections the server is still working for. */
const askEvery = seconds(5);

/**
 * Keeps connections whose callers gave up while the server was still busy, such as with a commit that waits for a standby.
 * Each keeps its place in the pool until it ends: immediate replacements would use up the server's connections. `open`
 * creates a separate connection, outside of the pool.
 */
export function openAbandoned(open: () => pg.Client) {
  const waiting = new Map<pg.Client, { resolve: () => void; processId: number }>();
  let asking: NodeJS.Timeout | undefined;

  /** If the network lost the response, no event follows, so this asks the server which of its processes are active. */
  async function releaseIdle(): Promise<void> {
    const asked = [...waiting.values()];
    const atWork = await processesAtWork(
      open(),
      asked.map(({ processId }) => processId),
    );
    for (const { processId, resolve } of asked) if (!atWork.has(processId)) resolve();
  }

  function stopAsking(): void {
    clearInterval(asking);
    asking = undefined;
  }

  return {
    /** Resolves when the server has responded or the connection is closed. */
    ended: (client: pg.Client): Promise<void> =>
      new Promise((resolve) => {
        const { connection, processID } = client as unknown as {
          connection: NodeJS.EventEmitter;
          processID: number | null;
        };
        const end = () => {
          waiting.delete(client);
          if (waiting.size === 0) stopAsking();
          resolve();
        };
        waiting.set(client, { resolve: end, processId: processID ?? 0 });
        connection.once('readyForQuery', end);
        client.once('end', end);
        asking ??= setInterval(() => releaseIdle().catch(() => undefined), askEvery).unref();
      }),
    count: (): number => waiting.size,
    /** Stops waiting for all of them. */
    stop(): void {
      for (const { resolve } of [...waiting.values()]) resolve();
    },
  };
}

async function processesAtWork(client: pg.Client, processes: readonly number[]): Promise<ReadonlySet<number>> {
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where pid = any($1) and state = 'active'",
      [processes],
    );
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    await client.end();
  }
}

/** A connection on which every wait is limited to `askEvery`. */
export const openProbe = (url: string): pg.Client =>
  new pg.Client({
    connectionString: withCheckedCertificate(url),
    connectionTimeoutMillis: askEvery,
    query_timeout: askEvery,
  });
