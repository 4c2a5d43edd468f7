import { csrfCookie } from '../src/contract/pages.ts';
import { openClient } from '../src/testing/client.ts';
import { type Authenticator, addPasskey, openAuthenticator } from '../src/testing/passkey-authenticator.ts';
import type { BenchRequest, Conversation } from './measure.ts';
import type { OpenIdProvider } from './open-id.ts';
import { addressOf, guardedClient, guardedOrigin, type OwnService, type Person, strangeAddressOf } from './servers.ts';

type Visitor = Pick<Person, 'ip' | 'browser'>;

const cookiesOf = ({ browser }: Visitor): string =>
  [...browser.cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ');

const headersOf = (person: Visitor): Record<string, string> => ({
  'content-type': 'application/json',
  'x-forwarded-for': person.ip,
  'x-csrf-token': person.browser.cookies.get(csrfCookie) ?? '',
  cookie: cookiesOf(person),
});

/** Sign-ins with the right password in known browsers. */
export const signIns = ({ people }: OwnService): BenchRequest[] =>
  people.map((person) => ({
    method: 'POST',
    path: '/auth/login',
    headers: headersOf(person),
    body: JSON.stringify({ email: person.email, password: person.password }),
  }));

/** More than any run can check: repeated guesses at one account would soon be refused without a hash. */
const manyGuesses = 5000;

/** Sign-ins to unknown accounts, from the given number of addresses. Each costs a hash and gets a 401. */
export async function guesses({ url }: Pick<OwnService, 'url'>, sources: number): Promise<BenchRequest[]> {
  const browser = openClient(url);
  await browser.get('/auth/csrf');
  return Array.from({ length: manyGuesses }, (_, at) => ({
    method: 'POST',
    path: '/auth/login',
    headers: headersOf({ ip: strangeAddressOf(at % sources), browser }),
    body: JSON.stringify({ email: `nobody${at}@example.com`, password: 'a wrong one' }),
  }));
}

/** Heartbeats from the given number of computers per person; each person adds them one after the other. */
export async function heartbeats({ url, people }: OwnService, each: number): Promise<BenchRequest[]> {
  const added = people.map(async ({ ip, browser }) => {
    const beats: BenchRequest[] = [];
    while (beats.length < each) {
      const { status: offered, body: offer } = await browser.post('/computers/enrolments');
      // A busy server asks to retry.
      if (offered === 503) continue;
      const { status, body } = await openClient(url, { ip }).post('/computers/enrol', {
        code: offer.code,
        name: `Computer ${beats.length}`,
        platform: 'linux',
      });
      if (status === 503) continue;
      if (status !== 201) throw new Error(`an enrolment got ${status}`);
      beats.push({
        method: 'POST',
        path: '/computers/heartbeat',
        headers: {
          'content-type': 'application/json',
          'x-forwarded-for': ip,
          authorization: `Bearer ${body.device_token}`,
        },
        body: JSON.stringify({ platform: 'linux', version: '1.0.0' }),
      });
    }
    return beats;
  });
  return (await Promise.all(added)).flat();
}

/** Reads of a path that needs a session, with access tokens. */
export const reads = ({ people }: OwnService, path: string): BenchRequest[] =>
  people.map((person) => ({
    method: 'GET',
    path,
    headers: { 'x-forwarded-for': person.ip, authorization: `Bearer ${person.browser.token}` },
  }));

export const pages: readonly BenchRequest[] = [
  { method: 'GET', path: '/', headers: { 'accept-encoding': 'br', 'x-forwarded-for': addressOf(1) } },
];

/** Each client continues its own session, as a browser does: every response brings the next token. */
export function refreshes({ people }: OwnService): () => Conversation {
  let at = 0;
  return () => {
    const person = people[at % people.length] as Person;
    at += 1;
    return {
      next: () => ({ method: 'POST', path: '/auth/refresh', headers: headersOf(person) }),
      heard(headers) {
        keepCookies(person, headers);
      },
    };
  };
}

/**
 * Each client signs its own user in with a passkey, again and again: it requests a challenge, and then sends its
 * response. A sign-in is two requests.
 */
export async function passkeySignIns({ people, origin }: OwnService): Promise<() => Conversation> {
  const owners: { person: Person; passkey: Authenticator }[] = [];
  for (const person of people)
    owners.push({ person, passkey: await addPasskey(person.browser, openAuthenticator({ origin })) });
  let at = 0;
  return () => {
    const { person, passkey } = owners[at % owners.length] as (typeof owners)[number];
    at += 1;
    let options: Parameters<typeof passkey.use>[0] | undefined;
    return {
      next: () => ({
        method: 'POST',
        path: options ? '/auth/passkeys/login' : '/auth/passkeys/challenge',
        headers: headersOf(person),
        body: JSON.stringify(options ? { credential: passkey.use(options) } : {}),
      }),
      heard(headers, body) {
        keepCookies(person, headers);
        const response = JSON.parse(body);
        options = response.challenge ? response : undefined;
      },
    };
  };
}

function keepCookies({ browser }: Visitor, headers: Parameters<Conversation['heard']>[0]): void {
  const lines = [headers['set-cookie'] ?? headers['Set-Cookie'] ?? []].flat();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    browser.cookies.set(name, decodeURIComponent(value));
  }
}

/** The service as other applications see it. */
export const openIdProviderOf = ({ url, people }: OwnService): OpenIdProvider => ({
  url,
  paths: { authorization: '/oidc/auth', token: '/oidc/token', userinfo: '/oidc/me' },
  browsers: people.map((person) => ({ 'x-forwarded-for': person.ip, cookie: cookiesOf(person) })),
});

const { host: guardedHost, protocol } = new URL(guardedOrigin);
const asked = { 'x-forwarded-host': guardedHost, 'x-forwarded-proto': protocol.slice(0, -1) };

/** The requests of a reverse proxy that guards an application, for people who are signed in there. */
export async function guardChecks({ origin, people }: OwnService): Promise<BenchRequest[]> {
  for (const { browser, ip } of people) {
    let next: string | null = `/.vestibule/start?client=${guardedClient}`;
    while (next?.startsWith('/')) {
      const headers: Record<string, string> = next.startsWith('/.vestibule/') ? asked : {};
      const response = await browser.get(next, { ...headers, 'x-forwarded-for': ip });
      next = response.headers.get('location')?.replace(origin, '').replace(`${guardedOrigin}/.`, '/.') ?? null;
    }
    // Its name ends with the port of the application.
    if (![...browser.cookies.keys()].some((name) => name.startsWith('vestibule_session')))
      throw new Error(`the guard refused a person: ${next}`);
  }
  return people.map((person) => ({
    method: 'GET',
    path: `/forward-auth/${guardedClient}`,
    headers: { ...asked, 'x-forwarded-for': person.ip, cookie: cookiesOf(person) },
  }));
}
