import { mkdtempSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../testing/command-line.ts';
import { freshDatabase, openTestStore, withPostgres } from '../../testing/databases/databases.ts';
import { startPostgres } from '../../testing/databases/postgres.ts';
import { outdatedPrimariesOf, type Store } from '../database.ts';
import { isTransientError } from '../database-errors.ts';

test.runIf(withPostgres)(
  'a pooler that loses prepared statements is named by each command, with and without leftovers of earlier ones',
  async () => {
    const { dataDir, databaseUrl = '' } = await freshDatabase('postgres');
    const DATABASE_URL = await openTransactionPooler(databaseUrl);
    const settings = { DATA_DIR: dataDir, DATABASE_URL, PHONE_CONFIRMATION: 'off' };
    const direct = { ...settings, DATABASE_URL: databaseUrl };
    expect(await runCommand(['migrate'], { folder: dataDir, settings: direct })).toMatchObject({ code: 0 });
    const loses = expect.stringMatching(
      /the pooler loses prepared statements: in transaction mode PgBouncer must be 1\.21/,
    );
    for (let time = 1; time <= 2; time += 1) {
      expect(await runCommand(['doctor', '--quick'], { folder: dataDir, settings })).toMatchObject({
        code: 1,
        out: loses,
      });
      expect(await runCommand(['groups', 'list'], { folder: dataDir, settings })).toMatchObject({
        code: 2,
        err: loses,
      });
    }
  },
);

test.runIf(withPostgres)('a pooler never makes a node run a statement of another process', async () => {
  const { databaseUrl = '' } = await freshDatabase('postgres');
  const url = await openTransactionPooler(databaseUrl);
  const open = () => openTestStore({ dataDir: '', databaseUrl: url });
  const store = open();
  const ask = () => sql<{ found: number }>`select ${1}::integer as found`.execute(store);
  await ask();
  const { rows: left } = await sql<{ name: string }>`select name from pg_prepared_statements`.execute(open());
  // A name that another process would not choose.
  expect(left).toEqual([{ name: expect.stringMatching(/^s[\da-f]{12}_\d+$/) }]);
  // Both connections of the pooler are in use meanwhile, so the next question meets one that does not know its statement.
  await open()
    .transaction()
    .execute(async (trx) => {
      await sql`select 2`.execute(trx);
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: '26000' });
      expect(isTransientError(error)).toBe(true);
    });
});

/** A connection to PostgreSQL, and the client whose transaction it serves. */
interface Served {
  readonly socket: Socket;
  client: Socket | undefined;
}

const [readyForQuery, terminate, outside] = ['Z', 'X', 'I'].map((letter) => letter.charCodeAt(0));
/** The response to every client: authenticated; a process id and a key of the pooler's own; ready, outside a transaction. */
const welcome = Buffer.from('5200000008000000004b0000000c00000001000000025a0000000549', 'hex');

/** Like PgBouncer 1.20 in transaction mode: each transaction gets the connection that became free last. */
async function openTransactionPooler(databaseUrl: string): Promise<string> {
  const sockets = new Set<Socket>();
  const idle: Served[] = [];
  const keep = (socket: Socket) => sockets.add(socket.on('error', () => undefined));

  /** A connection that node-postgres has opened and authenticated. */
  async function serve(): Promise<Served> {
    const opened = new pg.Client({ connectionString: databaseUrl });
    opened.on('error', () => undefined);
    await opened.connect();
    const { stream: socket } = (opened as unknown as { connection: { stream: Socket } }).connection;
    const served: Served = { socket, client: undefined };
    keep(socket);
    socket.removeAllListeners('data').on(
      'data',
      messages((type, message) => {
        served.client?.write(message);
        if (type !== readyForQuery || message.at(-1) !== outside) return;
        served.client = undefined;
        idle.push(served);
      }),
    );
    return served;
  }

  const server = createServer((client) => {
    keep(client);
    client.once('data', () => {
      client.write(welcome);
      let sending: Promise<Served | undefined> = Promise.resolve(undefined);
      const send = async (previous: Served | undefined, message: Buffer) => {
        const served = previous?.client === client ? previous : (idle.pop() ?? (await serve()));
        served.client = client;
        served.socket.write(message);
        return served;
      };
      // PostgreSQL rolls back the transaction of a client that leaves.
      client.on('close', () => {
        sending.then((served) => served?.client === client && served.socket.destroy());
      });
      client.on(
        'data',
        messages((type, message) => {
          if (type === terminate) client.end();
          else sending = sending.then((previous) => send(previous, message));
        }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) }).href;
}

/** Divides a stream into PostgreSQL's messages: a type, and a length that includes itself. */
function messages(take: (type: number, message: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = rest.readUInt32BE(1) + 1;
      take(rest[0] ?? 0, rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
}

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
