import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request as received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body's JSON, or the fields of its form. */
  readonly fields: unknown;
}

/** A stub's response: a status with JSON, or a function that writes the response itself. */
export type Reply = readonly [status: number, body: unknown] | ((response: ServerResponse) => void);

export interface CallServer {
  readonly url: string;
  readonly received: readonly Received[];
}

/** A provider's API as a stub: real HTTP on this machine, until the test ends. */
export async function startCallServer(reply: (request: Received, count: number) => Reply): Promise<CallServer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    const got = { method, path, headers, body, fields: fieldsOf(headers['content-type'], body) };
    received.push(got);
    const answer = reply(got, received.length);
    if (typeof answer === 'function') return answer(response);
    const [status, said] = answer;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

function fieldsOf(type: string | undefined, body: string): unknown {
  if (type === 'application/json') return JSON.parse(body);
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(body));
  return undefined;
}
