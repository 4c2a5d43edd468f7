import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** A way to PostgreSQL that can be closed, held up or made long. */
export interface Proxy {
  /** As the database's, but on this way. */
  readonly url: string;
  /** Whoever comes is cut off at once, as by a server that is down. */
  refuse(): void;
  /** Nothing is forwarded any more, as by a server that hangs. */
  hold(): void;
  /** Whatever is sent takes so long (ms). */
  delay(by: number): void;
  /** All is well again; what was held is cut, as by a server that comes back. */
  heal(): void;
  close(): void;
}

export async function openProxy(databaseUrl: string): Promise<Proxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let state: 'open' | 'refused' | 'held' = 'open';
  let lag = 0;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const forward = (from: Socket, to: Socket) =>
    from.on('data', (chunk) => {
      const send = () => state === 'open' && to.write(chunk);
      if (lag > 0) setTimeout(send, lag);
      else send();
    });
  const server = createServer((near) => {
    if (state === 'refused') {
      near.destroy();
      return;
    }
    const far = dial(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true).on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    forward(near, far);
    forward(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(databaseUrl), { port: String(port) }).href,
    refuse() {
      state = 'refused';
      cut();
    },
    hold() {
      state = 'held';
    },
    delay(by) {
      lag = by;
    },
    heal() {
      if (state === 'held') cut();
      state = 'open';
      lag = 0;
    },
    close() {
      server.close();
      cut();
    },
  };
}
