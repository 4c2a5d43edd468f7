import { Agent, request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isReady, type Service } from './service.ts';

/** A proxy in front of nodes: looks every half second which are ready, and takes them in turn. */
export interface RoundRobin {
  readonly url: string;
  add(node: Service): void;
  remove(node: Service): void;
  close(): void;
}

interface Passing {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  readonly response: ServerResponse;
}

const looksEvery = 500;

export async function openRoundRobin(): Promise<RoundRobin> {
  const nodes = new Map<Service, { isReady: boolean; readonly agent: Agent }>();
  let turn = 0;

  function next(tried: ReadonlySet<Service>): Service | undefined {
    const ready = [...nodes].filter(([node, { isReady }]) => isReady && !tried.has(node)).map(([node]) => node);
    turn += 1;
    return ready[turn % ready.length];
  }

  function pass({ request, body, response }: Passing, tried = new Set<Service>()): void {
    const node = next(tried);
    if (!node) {
      response.writeHead(502).end();
      return;
    }
    const { method, url, headers } = request;
    const agent = nodes.get(node)?.agent;
    const onward = ask({ port: node.port, host: '127.0.0.1', method, path: url, headers, agent }, (answer) => {
      // What is said of the connection to the node is not for the visitor's.
      const { connection: _, ...said } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, said);
      answer.pipe(response);
    });
    onward.once('error', (error: NodeJS.ErrnoException) => {
      // Nothing has been said to a node that takes no connection; anything else may have been done.
      if (error.code === 'ECONNREFUSED') pass({ request, body, response }, new Set([...tried, node]));
      else response.writeHead(502).end();
    });
    onward.end(body);
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    pass({ request, body: Buffer.concat(chunks), response });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const look = setInterval(async () => {
    for (const [node, state] of nodes) state.isReady = await isReady(node.url);
  }, looksEvery);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (node) => nodes.set(node, { isReady: true, agent: new Agent({ keepAlive: true }) }),
    remove: (node) => nodes.delete(node),
    close() {
      clearInterval(look);
      server.closeAllConnections();
      server.close();
    },
  };
}
