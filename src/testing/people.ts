import type { OperatorRole } from '../contract/operators.ts';
import { setOperator } from '../store/operators/operators.ts';
import { type Client, claimsOf } from './client.ts';
import { secretsIn } from './outbox.ts';
import type { TestServer } from './test-server.ts';

export const password = 'rain under tin roofs';

let people = 0;

/** A valid registration form; each call returns another person. */
export function form(changes: Record<string, unknown> = {}): Record<string, unknown> {
  people += 1;
  return {
    name: 'Anna Berg',
    email: `anna${people}@example.com`,
    phone: '+49 1512 3456789',
    password,
    password_repeat: password,
    consent_personal_data: true,
    consent_offers: false,
    locale: 'en',
    ...changes,
  };
}

/** Registers a person in a new browser, which is then signed in. */
export async function register(
  server: TestServer,
  changes: Record<string, unknown> = {},
): Promise<{ id: string; email: string; browser: Client }> {
  const browser = server.client();
  const person = form(changes);
  const response = await browser.post('/auth/register', person);
  if (response.status !== 201) throw new Error(`the registration failed: ${JSON.stringify(response.body)}`);
  return { id: claimsOf(browser).sub, email: String(person.email), browser };
}

/** The same with a proven address. */
export async function registerProven(server: TestServer, changes: Record<string, unknown> = {}) {
  const person = await register(server, changes);
  await proveAddress(server, person);
  return person;
}

/** Registers someone who is signed in with two factors, and usually an operator. */
export async function addOperator(server: TestServer, role: OperatorRole | undefined, acr: 'aal1' | 'aal2' = 'aal2') {
  const { id, email, browser } = await register(server);
  await server.store.updateTable('sessions').set({ acr }).where('account_id', '=', id).execute();
  const added_at = server.now();
  if (role) await server.store.transaction().execute((trx) => setOperator(trx, { account_id: id, role, added_at }));
  return { id, email, client: browser };
}

export const registerOwner = async (server: TestServer): Promise<Client> => (await addOperator(server, 'owner')).client;

/** A new browser that is signed in with the password. */
export async function signedIn(server: TestServer, email: string, word = password): Promise<Client> {
  const browser = server.client();
  const { status, body } = await browser.post('/auth/login', { email, password: word });
  if (status !== 200) throw new Error(`the sign-in failed: ${JSON.stringify(body)}`);
  return browser;
}

/** A new browser that is signed in with an emailed code. */
export async function signedInByCode(server: TestServer, email: string): Promise<Client> {
  const browser = server.client();
  await browser.post('/auth/code', { email, locale: 'en' });
  const code = await secretsIn(server, email).signInCode();
  const { status, body } = await browser.post('/auth/code/login', { email, code });
  if (status !== 200) throw new Error(`the sign-in failed: ${JSON.stringify(body)}`);
  return browser;
}

/** Sets a password with an emailed link. Returns the browser, which is not signed in. */
export async function resetByEmail(
  server: TestServer,
  { email, word, browser = server.client() }: { email: string; word: string; browser?: Client },
): Promise<Client> {
  await browser.post('/auth/recovery', { email, locale: 'en' });
  const hash = await secretsIn(server, email).resetLink();
  const set = { email, hash, password: word, password_repeat: word };
  const { status, body } = await browser.post('/auth/reset-password', set);
  if (status !== 204) throw new Error(`the reset failed: ${JSON.stringify(body)}`);
  return browser;
}

/** Lets time pass, after which the page has a new access token. */
export async function letPass(server: TestServer, browser: Client, duration: number): Promise<void> {
  server.forward(duration);
  await browser.post('/auth/refresh');
}

/** The kinds of the newest records in the activity of an account, newest first. */
export async function kindsOf(browser: Pick<Client, 'get'>): Promise<string[]> {
  return (await browser.get('/account/activity?limit=50')).body.records.map(({ kind }: { kind: string }) => kind);
}

/** Adds a computer to the account of a browser; its client has the device token. */
export async function addComputer(
  server: TestServer,
  browser: Client,
  name = 'Office',
): Promise<{ id: string; computer: Client }> {
  const { code } = (await browser.post('/computers/enrolments', { password })).body;
  const computer = server.client();
  const { status, body } = await computer.send('POST', '/computers/enrol', { body: { code, name, platform: 'linux' } });
  if (status !== 201) throw new Error(`the computer was not added: ${JSON.stringify(body)}`);
  return { id: body.computer, computer: Object.assign(computer, { token: body.device_token }) };
}

/** Opens the link of the welcome email in the browser that registered, which proves the address. */
export async function proveAddress(
  server: TestServer,
  { email, browser }: { email: string; browser: Client },
): Promise<void> {
  const hash = await welcomeLink(server, email);
  const response = await browser.post('/account/email/confirm', { hash });
  if (response.status !== 204) throw new Error(`the address was not proven: ${JSON.stringify(response.body)}`);
}

/** The secret of the welcome email's link; other emails to the address may be newer. */
export async function welcomeLink(server: TestServer, email: string): Promise<string> {
  for (let count = 1; ; count += 1) {
    await server.mailTo(email, /./, count);
    for (const { text } of await server.mails(email)) {
      const [, hash] = /\/account\/security\/\?hash=([\w-]+)/.exec(text) ?? [];
      if (hash) return hash;
    }
  }
}

let numbers = 0;

/** A new phone number, so that tests do not share rate limits. */
export function anyPhone(): string {
  numbers += 1;
  return `+4915112${String(numbers).padStart(6, '0')}`;
}

let addresses = 0;

/** A browser in a network of its own. */
export function anyone(server: TestServer): Client {
  addresses += 1;
  return server.client({ ip: `203.${addresses >>> 8}.${addresses & 255}.7` });
}

/** The digits of the newest call to a number, as its owner sees them. */
export async function digitsTo(server: TestServer, phone: string): Promise<string> {
  const call = (await server.calls()).find(({ to }) => to.replace(/\s/g, '') === phone);
  return String(call?.from).replace(/\D/g, '').slice(-4);
}

/** Confirms a number by a call; returns what a form needs, and the call. */
export async function confirmedPhone(server: TestServer, phone = anyPhone(), browser = anyone(server)) {
  const { call } = (await browser.post('/auth/phone/call', { phone, locale: 'en' })).body;
  const digits = await digitsTo(server, phone);
  const { phone_confirmation } = (await browser.post('/auth/phone/confirm', { call, digits })).body;
  return { phone, call: String(call), phone_confirmation: String(phone_confirmation) };
}

/** Sends requests that contain secrets of this person, and returns those secrets: nothing may write them down. */
export async function sendSecrets(browser: Client, { email, person }: { email: string; person: object }) {
  await browser.get(`/reset-password/?email=${email}&hash=secret-of-a-link`);
  await browser.post('/auth/reset-password/check', { email, hash: 'secret-of-a-link' });
  await browser.post('/auth/recovery', { email, locale: 'en' });
  await browser.post('/auth/code', { email, locale: 'en' });
  await browser.post('/auth/code/login', { email, code: '918273' });
  await browser.post('/auth/login', { email, password: 'a wrong password' });
  await browser.send('POST', '/auth/login', { body: `{"email":"${email}",`, headers: {} });
  await browser.post('/auth/register', person);
  await browser.get('/account/export');
  await browser.put('/additionally/way', { place: '/dashboard/?private=thing' });
  return ['secret-of-a-link', '918273', 'a wrong password', 'private=thing'];
}
