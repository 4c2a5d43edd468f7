import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../src/testing/client.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { password } from '../../src/testing/people.ts';
import type { Stage } from '../drill.ts';
import { vestibule } from '../fixtures/service.ts';
import { newBrowser, registerPerson } from '../fixtures/visitors.ts';

interface Opening {
  /** The public address of the service; by default its own. */
  readonly publicUrl?: string;
  /** Addresses of the applications, by their origins. */
  readonly addresses?: Readonly<Record<string, string>>;
}

/** The service with two accounts, of which one is in the group `staff`. */
export async function openProvider(stage: Stage, { publicUrl, addresses = {} }: Opening = {}) {
  const database = await stage.fresh('sqlite');
  const port = await freePort();
  const issuer = publicUrl ?? `http://localhost:${port}`;
  const { url } = await stage.start({ database, port, settings: { PUBLIC_URL: issuer } });
  const [member, outsider] = [await registerPerson(url), await registerPerson(url)];
  await vestibule(database, ['groups', 'add', member.email, 'staff']);
  const all = { [issuer]: url, ...addresses };
  return {
    issuer,
    database,
    port,
    member,
    outsider,
    /** Adds a client for the group `staff`. */
    async addClient(...args: readonly string[]): Promise<{ id: string; secret: string }> {
      const output = await vestibule(database, [
        'clients',
        'add',
        'App',
        '--first-party',
        ...(args.includes('--groups') ? [] : ['--groups', 'staff']),
        ...args,
      ]);
      const [, id = ''] = /^client_id +(\S+)/m.exec(output) ?? [];
      const [, secret = ''] = /^client_secret +(\S+)/m.exec(output) ?? [];
      return { id, secret };
    },
    /** A new browser; `signIn` sends the form of the sign-in page and returns the account's id. */
    browse() {
      const client = newBrowser(url);
      const browser = openAppBrowser({ addresses: all, issuer, client });
      return {
        ...browser,
        signIn: (email: string) => signIn(client, email),
        signOut: () => client.post('/auth/logout'),
      };
    },
  };
}

async function signIn(client: Client, email: string): Promise<string> {
  const { status } = await client.post('/auth/login', { email, password });
  if (status !== 200) throw new Error(`the sign-in failed with ${status}`);
  return (await client.get('/account')).body.id;
}

/** Repeats a check until it passes, at most for the given milliseconds. */
export async function holdsWithin(limit: number, check: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + limit;
  while (!(await check())) {
    if (performance.now() > deadline) return false;
    await pause(100);
  }
  return true;
}

interface AppResponse {
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Headers with which a browser opens a page. */
const page = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html' };
/** Headers with which a script of a page calls an API. */
export const apiCall = { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept: 'application/json' };
export const webSocket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

interface AppBrowser {
  /** Where to connect to for an origin, such as `https://wiki.example.com` at `https://127.0.0.1:8443`. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly issuer: string;
  /** The same browser for the service's own requests, with the cookies of its origin. */
  readonly client: Client;
}

/** A browser without scripts: it keeps the cookies of each origin and follows redirects between them. */
function openAppBrowser({ addresses, issuer, client }: AppBrowser) {
  const jars = new Map<string, Map<string, string>>([[issuer, client.cookies]]);

  async function send(url: string, headers: IncomingHttpHeaders = page): Promise<AppResponse> {
    const { origin, host, pathname, search } = new URL(url);
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const address = `${addresses[origin] ?? origin}${pathname}${search}`;
    const response = await exchange(address, { host, ...(cookie && { cookie }), ...headers });
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0\b|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return { ...response, url };
  }

  /** Follows redirects to their end. */
  async function visit(url: string): Promise<AppResponse> {
    let response = await send(url);
    for (let hops = 0; response.headers.location !== undefined; hops += 1) {
      if (hops === 15) throw new Error(`the redirects from ${url} do not end`);
      response = await send(new URL(response.headers.location, response.url).href);
    }
    return response;
  }

  return { send, visit, client };
}

function exchange(address: string, headers: IncomingHttpHeaders): Promise<Omit<AppResponse, 'url'>> {
  const { protocol } = new URL(address);
  const isEncrypted = protocol === 'https:';
  // The certificate is for this machine only.
  const options = {
    headers,
    agent: false,
    ...(isEncrypted && { rejectUnauthorized: false, servername: headers.host }),
  };
  return new Promise((resolve, reject) => {
    const sent = (isEncrypted ? requestHttps : requestHttp)(address, options as never, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(chunks).toString(),
      });
    });
    sent.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: '' });
    });
    sent.on('error', reject).end();
  });
}
