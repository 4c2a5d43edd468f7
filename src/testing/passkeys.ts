import type { Client, TestResponse } from './client.ts';
import { type Authenticator, type Claims, openAuthenticator } from './passkey-authenticator.ts';

/** The tests of passkeys: requests as a page sends them. */

export async function creationOptions(browser: Client, body: object = {}): Promise<TestResponse['body']> {
  const response = await browser.post('/account/passkeys/challenge', body);
  if (response.status !== 200) throw new Error(`no options for a passkey: ${JSON.stringify(response.body)}`);
  return response.body;
}

/** Adds a passkey to the account that a browser is signed in to. */
export async function addPasskey(
  browser: Client,
  authenticator: Authenticator = openAuthenticator(),
  claims: Partial<Claims> = {},
): Promise<Authenticator> {
  const credential = authenticator.create(await creationOptions(browser), claims);
  const response = await browser.post('/account/passkeys', { credential });
  if (response.status !== 201) throw new Error(`the passkey was not added: ${JSON.stringify(response.body)}`);
  return authenticator;
}

export async function signInOptions(browser: Client): Promise<TestResponse['body']> {
  const response = await browser.post('/auth/passkeys/challenge');
  if (response.status !== 200) throw new Error(`no options for a sign-in: ${JSON.stringify(response.body)}`);
  return response.body;
}

/** Signs in with a passkey, in a browser that requests a challenge first. */
export async function signInWith(
  browser: Client,
  authenticator: Authenticator,
  claims: Partial<Claims> = {},
): Promise<TestResponse> {
  const credential = authenticator.use(await signInOptions(browser), claims);
  return browser.post('/auth/passkeys/login', { credential });
}

export const change = (browser: Client, method: 'DELETE' | 'PATCH', path: string, body?: unknown) =>
  browser.send(method, path, { body });
