import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stub of a provider's API: real HTTP on this machine. */
export interface CallStub {
  readonly url: string;
  /** The bodies of all requests. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

export type Answering = (response: ServerResponse, body: string) => void;

export async function openCallStub(answer: Answering): Promise<CallStub> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(body);
    answer(response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const say =
  (status: number, text: string): Answering =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };

/** Failures that any provider can have. */
export const ills: Readonly<Record<string, Answering>> = {
  'slow (never responds)': () => undefined,
  'slow (10 s)': (response, body) => {
    const late = setTimeout(() => say(200, '{}')(response, body), 10_000).unref();
    response.once('close', () => clearTimeout(late));
  },
  '500': say(500, '{"error":"internal"}'),
  dripping(response) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 50);
    response.once('close', () => clearInterval(drip));
  },
  'wrong JSON': say(200, '["placed",4083,{"status":'),
  'other JSON': say(200, '["placed",4083]'),
  'broken connection': (response) => response.destroy(),
};

/** Each provider's response if our account is empty. */
export const lowBalance: Readonly<Record<string, Answering>> = {
  ucaller: say(402, '{"status":false,"error":"not enough money","code":1002}'),
  smsru: say(200, '{"status":"ERROR","status_code":201,"status_text":"no money"}'),
  webhook: say(402, '{}'),
};

/** Each provider's response if the phone rings, with its own digits or with those of the request. */
export const ringing: Readonly<Record<string, Answering>> = {
  ucaller: say(200, '{"status":true,"ucaller_id":103000,"phone":79991234567,"code":7777}'),
  smsru: say(200, '{"status":"OK","code":"4083","call_id":"000000-10000000","cost":0.4,"balance":4122.56}'),
  webhook: say(200, '{}'),
};
