import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import { seconds } from '../../contract/units.ts';
import { databaseFile } from '../../store/sqlite/files.ts';
import { freshDatabase, type TestDatabase } from './databases.ts';

interface Proxy {
  /** The database's URL, but through this proxy. */
  readonly url: string;
  /** The first bytes on the first connection. */
  opening(): string;
  /** Everything that clients sent, as one string. */
  sent(): string;
  /** Everything that the server sent, as one string. */
  received(): string;
  hold(): void;
  release(): void;
}

interface Options {
  /** Milliseconds for which a client's connection stays open after the server has ended it. */
  readonly endsLater?: number;
}

/** A proxy to PostgreSQL that can hold all traffic back, like a server that hangs. */
export async function openProxy(databaseUrl: string, { endsLater = 0 }: Options = {}): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isHeld = false;
  let opening = '';
  let sent = '';
  let received = '';
  const server = createServer((near) => {
    const far = dial(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    if (isHeld) return;
    near.once('data', (chunk) => {
      opening += chunk.toString('latin1');
    });
    near.on('data', (chunk) => {
      sent += chunk.toString('latin1');
    });
    far.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    far.on('end', () => setTimeout(() => near.end(), endsLater));
    near.pipe(far).pipe(near, { end: false });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    opening: () => opening,
    sent: () => sent,
    received: () => received,
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Cuts the held connections, as a server does when it comes back. */
    release() {
      isHeld = false;
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Outage {
  readonly database: TestDatabase;
  begin(): void;
  end(): void;
}

/** Databases that stop responding for a while. */
export const outages = {
  async sqlite(): Promise<Outage> {
    const database = await freshDatabase('sqlite');
    let holder: DatabaseSync | undefined;
    return {
      database,
      begin() {
        holder = new DatabaseSync(databaseFile(database.dataDir), { timeout: seconds(30) });
        holder.exec('begin immediate');
      },
      end: () => holder?.close(),
    };
  },
  async postgres(): Promise<Outage> {
    const { dataDir, databaseUrl = '' } = await freshDatabase('postgres');
    const proxy = await openProxy(databaseUrl);
    return { database: { dataDir, databaseUrl: proxy.url }, begin: proxy.hold, end: proxy.release };
  },
} as const;
