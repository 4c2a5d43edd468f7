import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { csrfCookie } from '../../src/contract/pages.ts';
import { codeOf, fromBase32, stepAt } from '../../src/security/factors.ts';
import type { Client } from '../../src/testing/client.ts';
import { openAuthenticator } from '../../src/testing/passkey-authenticator.ts';
import { form, password } from '../../src/testing/people.ts';
import type { Stage } from '../drill.ts';
import { endsWithUs } from '../fixtures/service.ts';
import { insist, newBrowser, type Person, registerPerson } from '../fixtures/visitors.ts';
import type { Assault, FloodRequest } from './attacker.ts';

/** What a flood may use: a service, an account's owner who is signed in there, and a browser without a session. */
interface Ground {
  readonly url: string;
  readonly owner: Person;
  readonly stranger: Client;
}

type MakeFlood = (ground: Ground) => readonly FloodRequest[] | Promise<readonly FloodRequest[]>;

/** Computers of one account; as many as fit into a flood's command line. */
const computers = 5;

const bearer = (token = '') => ({ Authorization: `Bearer ${token}` });

const post = (browser: Client, path: string, body: unknown): FloodRequest => ({
  method: 'POST',
  path,
  headers: headersOf(browser),
  body,
});

/** The owner's access token, with a space in its claims. */
function forgedToken({ browser }: Person): string {
  const [head, claims = '', signature] = (browser.token ?? '').split('.');
  return [head, Buffer.from(`${Buffer.from(claims, 'base64url')} `).toString('base64url'), signature].join('.');
}

async function deviceTokens({ url, owner }: Ground): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < computers) {
    const { body } = await owner.browser.post('/computers/enrolments', { password });
    const added = await newBrowser(url).send('POST', '/computers/enrol', {
      body: { code: body.code, name: 'Office', platform: 'linux' },
    });
    tokens.push(added.body.device_token);
  }
  return tokens;
}

/** A browser that has the password of an account with an authenticator, but no code. */
async function waitsForSecondStep({ url }: Ground): Promise<Client> {
  const { browser, email } = await registerPerson(url);
  const { body } = await browser.post('/account/authenticator');
  const code = codeOf(fromBase32(body.secret) ?? Buffer.alloc(0), stepAt(Date.now()));
  await browser.post('/account/authenticator/confirm', { code });
  const thief = newBrowser(url);
  await thief.post('/auth/login', { email, password });
  return thief;
}

const records = Array.from({ length: 100 }, (_, at) => ({ id: `%n-${at}`, at, kind: 'start', text: 'It runs.' }));

const makeFlood = {
  'wrong passwords': ({ stranger }) => [wrongPasswords(stranger)],
  'right passwords': ({ owner: { browser, email } }) => [post(browser, '/auth/login', { email, password })],
  'registrations of a taken address': ({ owner: { email }, stranger }) => [
    post(stranger, '/auth/register', form({ email })),
  ],
  registrations: ({ stranger }) => [post(stranger, '/auth/register', form({ email: 'new%n@example.com' }))],
  recoveries: ({ stranger }) => [post(stranger, '/auth/recovery', { email: 'nobody%n@example.com', locale: 'en' })],
  'codes by email': ({ stranger }) => [post(stranger, '/auth/code', { email: 'nobody%n@example.com', locale: 'en' })],
  'wrong enrolment codes': () => [
    { method: 'POST', path: '/computers/enrol', body: { code: '0000-0000-0000', name: 'Office', platform: 'linux' } },
  ],
  records: async (ground) =>
    (await deviceTokens(ground)).map((token) => ({
      method: 'POST',
      path: '/computers/records',
      headers: bearer(token),
      body: { records },
    })),
  'forged tokens': ({ owner }) => [{ method: 'GET', path: '/account', headers: bearer(forgedToken(owner)) }],
  polls: ({ owner }) => [{ method: 'GET', path: '/computers', headers: bearer(owner.browser.token) }],
  'passkey challenges': ({ stranger }) => [post(stranger, '/auth/passkeys/challenge', {})],
  'unknown passkeys': async ({ url }) => {
    const browser = newBrowser(url);
    const { body } = await browser.post('/auth/passkeys/challenge');
    const credential = openAuthenticator({ origin: 'https://door.example' }).use(body);
    return [post(browser, '/auth/passkeys/login', { credential })];
  },
  'wrong second-step codes': async (ground) => [
    post(await waitsForSecondStep(ground), '/auth/second-step', { code: '000000' }),
  ],
  'wrong codes of devices': ({ owner }) => [
    {
      ...post(owner.browser, '/connect/device', { user_code: 'BCDF-GHJK' }),
      headers: { ...headersOf(owner.browser), ...bearer(owner.browser.token) },
    },
  ],
} satisfies Record<string, MakeFlood>;

const secret = 'a-secret-of-an-application-in-the-drills';
const redirect = 'https://app.example/callback';
const verifier = 'a'.repeat(43);

/** The settings of a service with one application of each kind. */
export function applicationSettings(folder: string): { CLIENTS_FILE: string } {
  const clients = [
    { client_id: 'app', client_name: 'App', client_secrets: [secret], redirect_uris: [redirect] },
    { client_id: 'screen', client_name: 'Screen', public: true, device: true },
    {
      client_id: 'guarded',
      client_name: 'Guarded',
      public: true,
      first_party: true,
      redirect_uris: ['https://guarded.example/.vestibule/callback'],
    },
  ];
  const file = join(mkdtempSync(join(folder, 'clients-')), 'clients.json');
  writeFileSync(file, JSON.stringify(clients));
  return { CLIENTS_FILE: file };
}

const basic = { Authorization: `Basic ${Buffer.from(`app:${secret}`).toString('base64')}` };
const fieldsOf = (fields: Record<string, string>) => new URLSearchParams(fields).toString().replaceAll('%25n', '%n');
const authorization = {
  client_id: 'app',
  redirect_uri: redirect,
  response_type: 'code',
  scope: 'openid',
  code_challenge_method: 'S256',
  code_challenge: verifier,
  state: '%n',
};

/** Requests to the OpenID provider and the guard, with junk instead of proofs. */
const applicationFloods = {
  'OpenID sign-ins that nobody completes': [{ method: 'GET', path: `/oidc/auth?${fieldsOf(authorization)}` }],
  'OpenID sign-ins of unknown applications': [
    { method: 'GET', path: `/oidc/auth?${fieldsOf({ ...authorization, client_id: 'unknown%n' })}` },
  ],
  'OpenID codes that nobody issued': [
    {
      method: 'POST',
      path: '/oidc/token',
      headers: basic,
      body: fieldsOf({
        grant_type: 'authorization_code',
        code: 'nobody-issued-%n',
        redirect_uri: redirect,
        code_verifier: verifier,
      }),
    },
  ],
  'wrong secrets of an application': [
    {
      method: 'POST',
      path: '/oidc/token',
      headers: { Authorization: `Basic ${Buffer.from('app:wrong').toString('base64')}` },
      body: fieldsOf({ grant_type: 'refresh_token', refresh_token: 'nobody-issued-%n' }),
    },
  ],
  'introspections of junk': [
    { method: 'POST', path: '/oidc/introspection', headers: basic, body: fieldsOf({ token: 'nobody-issued-%n' }) },
  ],
  'device codes': [{ method: 'POST', path: '/oidc/device', body: fieldsOf({ client_id: 'screen', scope: 'openid' }) }],
  'guard checks with forged cookies': [
    {
      method: 'GET',
      path: '/forward-auth/guarded',
      headers: { Cookie: `__Host-vestibule_session=v1.%n.${'A'.repeat(43)}.${'A'.repeat(43)}` },
    },
  ],
  'guard checks without a cookie': [
    { method: 'GET', path: '/forward-auth/guarded?redirect=302', headers: { Accept: 'text/html' } },
  ],
} satisfies Record<string, readonly FloodRequest[]>;

export type FloodName = keyof typeof makeFlood | keyof typeof applicationFloods;

export const floodNames = [...Object.keys(makeFlood), ...Object.keys(applicationFloods)] as FloodName[];

/** The requests of a flood, of any kind of work that a stranger, an account's owner or an application can cause. */
export async function requestsOf(name: FloodName, url: string): Promise<readonly FloodRequest[]> {
  if (name in applicationFloods) return applicationFloods[name as keyof typeof applicationFloods];
  const owner = await registerPerson(url);
  await insist(() => owner.browser.post('/auth/refresh'));
  return makeFlood[name as keyof typeof makeFlood]({ url, owner, stranger: await strangerAt(url) });
}

/** The headers of a browser with its cookies. */
export function headersOf(browser: Client): Record<string, string> {
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`);
  return { Cookie: cookies.join('; '), 'X-CSRF-Token': browser.cookies.get(csrfCookie) ?? '' };
}

/** A browser without a session. */
export async function strangerAt(url: string): Promise<Client> {
  const browser = newBrowser(url);
  await browser.get('/auth/csrf');
  return browser;
}

/** Sign-ins with wrong passwords, for many addresses. */
export const wrongPasswords = (stranger: Client): FloodRequest => ({
  method: 'POST',
  path: '/auth/login',
  headers: headersOf(stranger),
  body: { email: 'nobody%n@example.com', password: 'a wrong one' },
});

/** The cheapest refusal: what any flood costs on this machine. */
export const unknownPaths: FloodRequest = { method: 'GET', path: '/assets/none' };

/** Starts the attackers; they report the responses that they have got so far. */
export function beginFlood(stage: Stage, assault: Assault) {
  const program = join(import.meta.dirname, 'attacker.ts');
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = endsWithUs(spawn(process.execPath, [program, JSON.stringify(assault)], { stdio: [...stdio] }));
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  stage.atEnd(stop);
  let last: [number, number][] = [];
  child.stdout.on('data', (text: Buffer) => {
    last = JSON.parse(text.toString().trim().split('\n').at(-1) ?? '[]');
  });
  return {
    stop,
    got: () => last.map(([status, count]) => `${status} ×${count}`).join(', '),
    answered: () => last.reduce((all, [, count]) => all + count, 0),
  };
}
