import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openTestStore, withPostgres } from '../../testing/databases/databases.ts';
import { startPostgres } from '../../testing/databases/postgres.ts';
import { outdatedPrimariesOf, type Store } from '../database.ts';

const portOf = async (store: Store) =>
  (await sql<{ port: number }>`select inet_server_port() as port`.execute(store)).rows[0]?.port;

test.runIf(withPostgres)(
  'a returning old primary is refused and reported, even after a restart of the node, or if it is the only server',
  async () => {
    const old = await startPostgres();
    onTestFinished(() => old.stop());
    const promoted = await old.promoteCopy();
    const [oldUrl, newUrl] = [new URL(old.url), new URL(promoted.url)];
    const both = old.url.replace(oldUrl.host, `${oldUrl.host},${newUrl.host}`);
    const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-test-'));
    const reported: string[] = [];
    const open = (databaseUrl: string) =>
      openTestStore({ dataDir, databaseUrl }, { onOutdated: ({ host }) => reported.push(host) });
    const node = open(both);
    expect(await portOf(node)).toBe(Number(newUrl.port));
    expect(reported).toEqual([oldUrl.host]);
    expect(outdatedPrimariesOf(node)).toEqual([
      expect.objectContaining({ host: oldUrl.host, timeline: 1, highest: 2 }),
    ]);

    promoted.halt();
    for (const restarted of [node, open(both), open(old.url)]) await expect(portOf(restarted)).rejects.toThrow();
    await expect(portOf(open(old.url))).rejects.toMatchObject({ code: '25006' });

    promoted.resume();
    await expect.poll(() => portOf(node).catch(() => 0)).toBe(Number(newUrl.port));
  },
);

test.runIf(withPostgres)(
  'a node that is still connected to an old primary detects the promotion of another one',
  async () => {
    const old = await startPostgres();
    onTestFinished(() => old.stop());
    const [one, dataDir] = [new URL(old.url), mkdtempSync(join(tmpdir(), 'vestibule-test-'))];
    const promoted = await old.promoteCopy();
    promoted.halt();
    const other = new URL(promoted.url);
    const store = openTestStore({ dataDir, databaseUrl: old.url.replace(one.host, `${one.host},${other.host}`) }, {});
    // Until the other one is up, nothing shows that this one is outdated.
    expect(await portOf(store)).toBe(Number(one.port));
    promoted.resume();
    await expect.poll(() => portOf(store).catch(() => 0), { interval: 500 }).toBe(Number(other.port));
  },
);
