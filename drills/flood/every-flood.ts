import { codeOf, fromBase32, stepAt } from '../../src/security/factors.ts';
import type { Client } from '../../src/testing/client.ts';
import { openAuthenticator } from '../../src/testing/passkey-authenticator.ts';
import { form, password } from '../../src/testing/people.ts';
import { insist, newBrowser, type Person, registerPerson } from '../fixtures/visitors.ts';
import { applicationFloods } from './applications.ts';
import type { FloodRequest } from './attacker.ts';
import { headersOf, strangerAt, wrongPasswords } from './requests.ts';

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

export type FloodName = keyof typeof makeFlood | keyof typeof applicationFloods;

export const floodNames = [...Object.keys(makeFlood), ...Object.keys(applicationFloods)] as FloodName[];

/** The requests of a flood, of any kind of work that a stranger, an account's owner or an application can cause. */
export async function requestsOf(name: FloodName, url: string): Promise<readonly FloodRequest[]> {
  if (name in applicationFloods) return applicationFloods[name as keyof typeof applicationFloods];
  const owner = await registerPerson(url);
  await insist(() => owner.browser.post('/auth/refresh'));
  return makeFlood[name as keyof typeof makeFlood]({ url, owner, stranger: await strangerAt(url) });
}
