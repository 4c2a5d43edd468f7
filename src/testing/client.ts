import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Problem } from '../contract/failures.ts';
import { csrfCookie } from '../contract/pages.ts';

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
  readonly body: any;
}

export interface Client {
  /** This browser's cookies, by name. */
  readonly cookies: Map<string, string>;
  /** The access token that the browser keeps in its session storage. */
  token: string | undefined;
  get(path: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  /** Sends with any method, without fetching a CSRF token first. A string is sent as the body unchanged. */
  send(method: string, path: string, sent: { body?: unknown; headers?: Record<string, string> }): Promise<TestResponse>;
  /** A copy of this browser, with its own cookies from now on. */
  copy(): Client;
}

/** Status, code and details of a failed request, short enough for a row of a table. */
export function statusAndCode({ status, body }: TestResponse): string {
  const { code, fields, reason } = body as Problem;
  const details = fields?.map((field) => `${field.field} ${field.code}`) ?? (reason ? [reason] : []);
  return [status, code, ...details].filter((part) => part !== undefined).join(' ');
}

/** Retries as an agent does, while a busy machine responds with 503 `try_again_later`; each retry counts in its limits. */
export async function untilServed(ask: () => Promise<TestResponse>): Promise<TestResponse> {
  for (;;) {
    const result = await ask();
    if (statusAndCode(result) !== '503 try_again_later') return result;
    await pause(1000);
  }
}

/** What the access token of a browser says. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects to be there
export const claimsOf = ({ token = '' }: Pick<Client, 'token'>): Record<string, any> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

/** A browser as a server sees it: it keeps cookies and sends the CSRF token back as a header. */
export function openClient(url: string, { ip }: { ip?: string } = {}): Client {
  return withCookies(url, new Map(), ip);
}

function withCookies(url: string, cookies: Map<string, string>, ip: string | undefined): Client {
  async function send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<TestResponse> {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(ip && { 'x-forwarded-for': ip }),
        ...(client.token && { authorization: `Bearer ${client.token}` }),
        ...(method !== 'GET' && { 'x-csrf-token': cookies.get(csrfCookie) ?? '' }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) keep(line);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    const result = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    if (typeof result.body?.access_token === 'string') client.token = result.body.access_token;
    return result;
  }

  function keep(line: string): void {
    const [pair = ''] = line.split(';', 1);
    const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
    if (/;\s*(?:max-age=0|expires=thu, 01 jan 1970)/i.test(line)) cookies.delete(name);
    else cookies.set(name, decodeURIComponent(value));
  }

  /** Loads a page first, as a browser does, so that the CSRF token is set. */
  async function change(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
  ): Promise<TestResponse> {
    if (!cookies.has(csrfCookie)) await send('GET', '/auth/csrf', undefined, {});
    return send(method, path, body, headers);
  }

  const client: Client = {
    cookies,
    token: undefined,
    get: (path, headers = {}) => send('GET', path, undefined, headers),
    post: (path, body = {}, headers = {}) => change('POST', path, body, headers),
    put: (path, body, headers = {}) => change('PUT', path, body, headers),
    send: (method, path, { body, headers = {} }) => send(method, path, body, headers),
    copy: () => Object.assign(withCookies(url, new Map(cookies), ip), { token: client.token }),
  };
  return client;
}

interface CutRequest {
  readonly url: string;
  readonly browser: Client;
  readonly path: string;
  readonly body?: unknown;
  /** Added to the default headers of the body, or replaces them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds between the request and the reset. */
  readonly after: number;
}

/** Sends a POST request as a browser would, and resets the connection before the response. */
export async function sendAndCut({ url, browser, path, body = {}, headers = {}, after }: CutRequest): Promise<void> {
  if (!browser.cookies.has(csrfCookie)) await browser.get('/auth/csrf');
  const text = JSON.stringify(body);
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: door.example',
    `Cookie: ${[...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
    `X-CSRF-Token: ${browser.cookies.get(csrfCookie) ?? ''}`,
    'Content-Type: application/json',
    ...Object.entries({ 'content-length': Buffer.byteLength(text), ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    ),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  // Without a pause the server sees the request and the reset at the same moment.
  if (after > 0) await new Promise<void>((resolve) => setTimeout(resolve, after));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resetAndDestroy();
  await closed;
}
