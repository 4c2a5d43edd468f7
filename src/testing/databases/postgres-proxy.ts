import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

interface Proxy {
  /** As the database's, but on this way. */
  readonly url: string;
  /** What the first connection said first. */
  opening(): string;
  /** All that clients sent, as one text. */
  sent(): string;
  hold(): void;
  release(): void;
}

/** A way to PostgreSQL on which everything can be held back, as by a server that hangs. */
export async function openProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isHeld = false;
  let opening = '';
  let sent = '';
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
    near.pipe(far).pipe(near);
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
    hold() {
      isHeld = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    /** Connections that were held are cut, as a server that comes back cuts them. */
    release() {
      isHeld = false;
      for (const socket of sockets) socket.destroy();
    },
  };
}
