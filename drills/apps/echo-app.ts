import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stage } from '../fixtures/stage.ts';

/** An application without a login: it responds with the headers that reach it, and accepts WebSockets. */
export async function openEchoApp(stage: Stage): Promise<{ readonly port: number; count(): number }> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(request.headers));
  });
  server.on('upgrade', (_, socket) => {
    requests += 1;
    socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stage.atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, count: () => requests };
}

/** The headers that the application saw; empty if it saw none. */
export function headersSeen(body: string): IncomingHttpHeaders {
  try {
    return JSON.parse(body) as IncomingHttpHeaders;
  } catch {
    return {};
  }
}
