import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { saveClient } from '../store/applications/clients.ts';
import type { Store } from '../store/database.ts';
import type { Client as Browser } from './client.ts';
import { onFileEnd } from './file-cleanup.ts';
import type { TestServer } from './test-server.ts';

interface GuardedApp {
  /** The address of the service. */
  readonly service: string;
  readonly client: string;
  /** The origin that people see, such as `https://app.example`; its own address if undefined. */
  readonly origin?: string;
}

/** An application behind a reverse proxy that asks for each request as nginx does with `auth_request`. */
export async function openGuardedApp({ service, client, origin: given }: GuardedApp) {
  let origin = given ?? '';

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: uri = '/', method = 'GET' } = incoming;
    const { host, protocol } = new URL(origin);
    const own = {
      'x-forwarded-host': host,
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-for': '203.0.113.9',
    };
    const headers = { ...withoutIdentity(incoming.headers), ...own };
    if (uri.startsWith('/.vestibule/')) {
      const passed = await ask(service + uri, headers);
      response.writeHead(passed.status, passed.headers).end(passed.body);
      return;
    }
    const asked = { ...headers, 'x-forwarded-uri': uri, 'x-forwarded-method': method };
    const judged = await ask(`${service}/forward-auth/${client}`, asked);
    if (judged.status === 401 && judged.headers.location)
      response.writeHead(302, { location: judged.headers.location }).end();
    else if (judged.status !== 204) response.writeHead(judged.status).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ uri, ...identityIn(judged.headers) }));
  }

  const server = createServer((incoming, response) => void respond(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onFileEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  origin ||= url;
  return { url, origin };
}

const isIdentity = (name: string) => name.startsWith('x-account-');

const identityIn = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isIdentity(name)));

const withoutIdentity = ({ connection: _, ...headers }: IncomingHttpHeaders) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isIdentity(name)));

interface GuardResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends exactly these headers, which `fetch` would change. */
export const ask = (url: string, headers: IncomingHttpHeaders): Promise<GuardResponse> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
    });
    sent.on('error', reject).end();
  });

interface GuardedClient {
  readonly id: string;
  readonly origins: readonly string[];
  readonly groups?: readonly string[];
}

/** Adds the client of a guarded application. */
export const addGuardedClient = ({ store }: { readonly store: Store }, { id, origins, groups = [] }: GuardedClient) =>
  store.transaction().execute((trx) =>
    saveClient(trx, {
      id,
      name: id,
      redirectUris: origins.map((origin) => `${origin}/.vestibule/callback`),
      postLogoutUris: [],
      backchannelLogoutUri: undefined,
      groups,
      resources: [],
      apis: [],
      claims: {},
      withoutPkce: false,
      signing: 'ES256',
      isPublic: true,
      isFirstParty: true,
      isService: false,
      usesDeviceFlow: false,
      claimsInIdToken: false,
      isFromFile: false,
      createdAt: 0,
    }),
  );

interface Guarded {
  /** The id of the client. */
  readonly client: string;
  /** The protected origin, with https. */
  readonly origin: string;
}

/** Signs a signed-in browser in to a guarded application, and returns the cookie header for its host. */
export async function guardCookie({ url, config }: TestServer, browser: Browser, { client, origin }: Guarded) {
  const own = forwarded(origin);
  const cookieIn = (lines: readonly string[] | undefined) =>
    lines?.map((line) => line.split(';', 1)[0]).join('; ') ?? '';
  const start = await ask(`${url}/.vestibule/start?client=${client}&place=/`, own);
  const entrance = await browser.get((start.headers.location ?? '').replace(config.PUBLIC_URL, ''));
  const callback = new URL(entrance.headers.get('location') ?? '');
  const cookie = cookieIn(start.headers['set-cookie']);
  const back = await ask(`${url}${callback.pathname}${callback.search}`, { ...own, cookie });
  return cookieIn(back.headers['set-cookie']);
}

/** The status of a guarded request with a cookie. */
export async function guardStatus(
  { url }: Pick<TestServer, 'url'>,
  { client, origin, cookie }: Guarded & { readonly cookie: string },
): Promise<number> {
  return (await ask(`${url}/forward-auth/${client}`, { ...forwarded(origin), cookie })).status;
}

const forwarded = (origin: string) => ({
  'x-forwarded-host': new URL(origin).host,
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.9',
});
