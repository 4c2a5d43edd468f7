import { csrfCookie } from '../../src/contract/cookies.ts';
import type { Client } from '../../src/testing/client.ts';
import { form, password } from '../../src/testing/people.ts';
import { insist, newBrowser, registerPerson } from '../fixtures/visitors.ts';
import type { FloodRequest } from './attacker.ts';

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

/** Computers of one account; as many as fit into a flood's command line. */
const computers = 5;

/** Floods of every kind of work that a stranger or an account's owner can cause. */
export async function everyFlood(url: string): Promise<Readonly<Record<string, readonly FloodRequest[]>>> {
  const owner = await registerPerson(url);
  const stranger = await strangerAt(url);
  const token = (await insist(() => owner.browser.post('/auth/refresh')))?.body.access_token as string;
  owner.browser.token = token;
  const [head, claims, signature] = token.split('.');
  const forged = [head, Buffer.from(`${Buffer.from(claims ?? '', 'base64url')} `).toString('base64url'), signature];
  const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });
  const post = (path: string, body: unknown): FloodRequest => ({
    method: 'POST',
    path,
    headers: headersOf(stranger),
    body,
  });
  const records = Array.from({ length: 100 }, (_, at) => ({ id: `%n-${at}`, at, kind: 'start', text: 'It runs.' }));
  const tokens: string[] = [];
  while (tokens.length < computers) {
    const { body } = await owner.browser.post('/computers/enrolments', { password });
    const added = await newBrowser(url).send('POST', '/computers/enrol', {
      body: { code: body.code, name: 'Office', platform: 'linux' },
    });
    tokens.push(added.body.device_token);
  }
  return {
    'registrations of a taken address': [post('/auth/register', form({ email: owner.email }))],
    registrations: [post('/auth/register', form({ email: 'new%n@example.com' }))],
    recoveries: [post('/auth/recovery', { email: 'nobody%n@example.com', locale: 'en' })],
    'wrong enrolment codes': [
      { method: 'POST', path: '/computers/enrol', body: { code: '0000-0000-0000', name: 'Office', platform: 'linux' } },
    ],
    records: tokens.map((device) => ({
      method: 'POST',
      path: '/computers/records',
      headers: bearer(device),
      body: { records },
    })),
    'forged tokens': [{ method: 'GET', path: '/account', headers: bearer(forged.join('.')) }],
    streams: [{ method: 'GET', path: '/computers/events', headers: bearer(token), isStream: true }],
  };
}

/** The names of `everyFlood`, which needs a service. */
export const floodNames = [
  'registrations of a taken address',
  'registrations',
  'recoveries',
  'wrong enrolment codes',
  'records',
  'forged tokens',
  'streams',
] as const;
