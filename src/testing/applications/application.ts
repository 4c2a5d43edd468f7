import { randomUUID } from 'node:crypto';
import * as openid from 'openid-client';
import { addClient, clientEntry } from '../../operations/clients.ts';
import type { Client as Browser, TestResponse } from '../client.ts';
import { register } from '../people.ts';
import type { TestServer } from '../test-server.ts';

export const redirectUri = 'https://app.example/signed-in';

/** An application that people sign in to, as its operator has added it, with `openid-client` as its library. */
export interface Application {
  readonly id: string;
  readonly secret: string | undefined;
  readonly config: openid.Configuration;
}

/** Adds a client with the fields of CLIENTS_FILE. */
export async function addTestClient(server: TestServer, fields: Readonly<Record<string, unknown>> = {}) {
  const entry = clientEntry.parse({
    client_id: randomUUID(),
    client_name: 'Grafana',
    redirect_uris: [redirectUri],
    first_party: true,
    ...fields,
  });
  const operator = { kind: 'command', actor: 'alice', origin: 'test', reason: undefined } as const;
  return { entry, secret: await addClient({ store: server.store, now: server.now(), operator }, entry) };
}

/** Adds a client, and lets its library discover the service. */
export async function addApplication(
  server: TestServer,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<Application> {
  const { entry, secret } = await addTestClient(server, fields);
  const config = await openid.discovery(
    new URL(server.config.PUBLIC_URL),
    entry.client_id,
    { id_token_signed_response_alg: entry.id_token_signed_response_alg },
    secret === undefined ? openid.None() : openid.ClientSecretBasic(secret),
    { [openid.customFetch]: reach(server) as never },
  );
  return { id: entry.client_id, secret, config };
}

/** The same, and somebody who is signed in to our service. */
export const addAppAndPerson = async (server: TestServer, fields: Readonly<Record<string, unknown>> = {}) => ({
  app: await addApplication(server, fields),
  ...(await register(server)),
});

/** Sends requests for the public address to the port of the test server, as a proxy would. */
export const reach =
  ({ url, config: { PUBLIC_URL } }: TestServer) =>
  (address: string | URL, options?: RequestInit): Promise<Response> =>
    fetch(String(address).replace(PUBLIC_URL, url), options);

/** Sends a form as an application does, and reads the JSON of the response. */
export async function post(server: TestServer, path: string, fields: Readonly<Record<string, string>>, headers = {}) {
  const response = await reach(server)(`${server.config.PUBLIC_URL}${path}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

/** The header by which an application authenticates. */
export const basic = ({ id, secret }: Pick<Application, 'id' | 'secret'>) => ({
  authorization: `Basic ${btoa(`${id}:${secret}`)}`,
});

export interface AuthorizationRequest {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** The address to which an application sends a browser. */
export async function authorizationRequest(
  { config }: Application,
  parameters: Readonly<Record<string, string>> = {},
): Promise<AuthorizationRequest> {
  const verifier = openid.randomPKCECodeVerifier();
  const [state, nonce] = [openid.randomState(), openid.randomNonce()];
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...parameters,
  });
  return { url, verifier, state, nonce };
}

/** Opens an address of the service, and follows redirects while they stay there. Returns the last response. */
export async function follow(browser: Browser, { config }: TestServer, address: string | URL): Promise<TestResponse> {
  let path = pathOf(address, config.PUBLIC_URL);
  for (let hops = 0; hops < 10; hops += 1) {
    const response = await browser.get(path, { accept: 'text/html' });
    const location = response.headers.get('location');
    if (!location) return response;
    const target = new URL(location, config.PUBLIC_URL);
    if (target.origin !== config.PUBLIC_URL || /\/(?:connect|connect\/failed|sign-out)\/$/.test(target.pathname))
      return response;
    path = pathOf(target, config.PUBLIC_URL);
  }
  throw new Error('the redirects do not end');
}

const pathOf = (address: string | URL, publicUrl: string): string => String(address).replace(publicUrl, '');

/** Where the last response leads. */
export const locationOf = ({ headers }: TestResponse, { config }: TestServer): URL =>
  new URL(headers.get('location') ?? 'about:blank', config.PUBLIC_URL);

/** Signs a signed-in browser in to an application and returns the tokens. */
export async function signInTo(
  server: TestServer,
  { app, browser, parameters = {} }: { app: Application; browser: Browser; parameters?: Record<string, string> },
) {
  const request = await authorizationRequest(app, parameters);
  const callback = locationOf(await follow(browser, server, request.url), server);
  return redeem(app, request, callback);
}

/** Exchanges the code in a callback for tokens. */
export const redeem = ({ config }: Application, request: AuthorizationRequest, callback: URL) =>
  openid.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: request.verifier,
    expectedState: request.state,
    expectedNonce: request.nonce,
    idTokenExpected: true,
  });

/** Opens a request of an application in a browser. Returns the id of the request that our page continues. */
export async function openRequest(
  server: TestServer,
  { app, browser, parameters = {} }: { app: Application; browser: Browser; parameters?: Record<string, string> },
) {
  const request = await authorizationRequest(app, parameters);
  const target = locationOf(await follow(browser, server, request.url), server);
  return { request, target, id: target.searchParams.get('request') ?? '' };
}

/** The request as our page reads it. */
export const stepOf = async (browser: Browser, id: string) => (await browser.get(`/connect/requests/${id}/step`)).body;

/** Presses a button of our page, and follows where it leads. */
export async function decideAs(
  server: TestServer,
  { browser, id, allow }: { browser: Browser; id: string; allow: boolean },
): Promise<URL> {
  const { body } = await browser.post(`/connect/requests/${id}`, { allow });
  return locationOf(await follow(browser, server, body.to), server);
}

/** Continues a request for which the person has signed in. */
export async function continueAs(server: TestServer, { browser, id }: { browser: Browser; id: string }): Promise<URL> {
  const { to } = await stepOf(browser, id);
  return locationOf(await follow(browser, server, to), server);
}
