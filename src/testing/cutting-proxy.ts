import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';

/** Where to reset a connection: after `bytes` bytes of a request, or of its response's head or body. */
export interface CutAt {
  readonly of: 'request' | 'head' | 'body';
  readonly bytes: number;
}

interface CuttingProxy {
  readonly port: number;
  /** Cuts the next `times` connections that carry a request with this opening. */
  cut(opening: string, at: CutAt, times?: number): void;
  /** Number of cuts still to come. */
  left(): number;
  close(): void;
}

const endOfHead = '\r\n\r\n';

/**
 * A proxy to a server on 127.0.0.1 that cuts connections where a test wants: like a tunnel, or a laptop put to sleep.
 */
export async function openCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let planned: { opening: string; at: CutAt; times: number } | undefined;
  const plan = (chunk: Buffer): CutAt | undefined => {
    if (!planned || planned.times === 0 || !chunk.toString('latin1').startsWith(planned.opening)) return undefined;
    planned.times -= 1;
    return planned.at;
  };
  const server = createServer((near) => {
    const far = dial(target, '127.0.0.1');
    const reset = () => {
      near.resetAndDestroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', reset).on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    let at: CutAt | undefined;
    near.on('data', (chunk: Buffer) => {
      at ??= plan(chunk);
      if (at?.of !== 'request') return far.write(chunk);
      if (at.bytes > 0) far.write(chunk.subarray(0, at.bytes));
      return reset();
    });
    far.on('data', (chunk: Buffer) => {
      if (!at || at.of === 'request') return near.write(chunk);
      const passed = chunk.subarray(0, (at.of === 'body' ? chunk.indexOf(endOfHead) + endOfHead.length : 0) + at.bytes);
      return passed.length > 0 ? near.write(passed, reset) : reset();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut(opening, at, times = 1) {
      planned = { opening, at, times };
    },
    left: () => planned?.times ?? 0,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
