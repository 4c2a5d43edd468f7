import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it, test } from 'vitest';
import { minutes, seconds } from '../../contract/units.ts';
import { addToGroup, removeFromGroup } from '../../store/applications/account-groups.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { addGuardedClient, ask, openGuardedApp } from '../../testing/guarded-app.ts';
import { password, proveAddress, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { headerText } from './access-decisions.ts';
import { placeOn } from './forward-auth.ts';

const service = 'https://door.example';
const app = 'https://wiki.example';
const policies =
  /^(?:strict-transport|content-security|permissions|referrer|cross-origin|origin-agent|x-(?:frame|content-type|dns|download|permitted|xss))/;
const page = { 'sec-fetch-mode': 'navigate', accept: 'text/html' };

const addClient = (server: TestServer, id: string, { origins = [app], groups = [] as string[] } = {}) =>
  addGuardedClient(server, { id, origins, groups });

/** A browser with the cookies of each origin, which follows redirects between them. */
function openBrowser(addresses: Readonly<Record<string, string>>, serviceCookies: Map<string, string>) {
  const jars = new Map<string, Map<string, string>>([[service, serviceCookies]]);
  const jarOf = (origin: string) => jars.get(origin) ?? jars.set(origin, new Map()).get(origin) ?? new Map();

  async function get(url: string, headers: IncomingHttpHeaders = page) {
    const { origin, pathname, search } = new URL(url);
    const jar = jarOf(origin);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await ask(`${addresses[origin]}${pathname}${search}`, { ...headers, ...(cookie && { cookie }) });
    for (const line of response.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0\b/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const { location } = response.headers;
    return { ...response, url, location: location === undefined ? undefined : new URL(location, url).href };
  }

  /** Follows redirects between the two origins until a response does not redirect, or leads to a page of the service. */
  async function visit(url: string) {
    let response = await get(url);
    for (let hop = 0; hop < 10 && response.location; hop += 1) {
      const { origin, pathname } = new URL(response.location);
      if (origin === service && !pathname.startsWith('/forward-auth/')) break;
      response = await get(response.location);
    }
    return { ...response, seen: response.status === 200 ? JSON.parse(response.body.toString()) : undefined };
  }

  return { get, visit, jarOf };
}

describe.each(usualEngines)('the guard of another application, on %s,', async (engine) => {
  const server = await openTestServer(engine);
  let clients = 0;

  async function open(options: { groups?: string[] } = {}) {
    clients += 1;
    const client = `wiki${clients}`;
    await addClient(server, client, options);
    const guarded = await openGuardedApp({ service: server.url, client, origin: app });
    const addresses = { [service]: server.url, [app]: guarded.url };
    const browse = (cookies = new Map<string, string>()) => openBrowser(addresses, cookies);
    return { server, client, browse };
  }

  /** A signed-in person who has opened the application. */
  async function enter() {
    const { client, browse } = await open();
    const person = await register(server);
    const own = browse(person.browser.cookies);
    await own.visit(`${app}/`);
    return { ...person, client, own };
  }

  it('lets signed-in people pass without a page, and passes on who they are', async () => {
    const { server, browse } = await open();
    const person = await register(server, { name: '100 % Ødegård' });
    await proveAddress(server, person);
    await addToGroup(server.store, { accountId: person.id, group: 'staff', at: 0 });
    const browser = browse(person.browser.cookies);
    const { url, seen } = await browser.visit(`${app}/pages/?q=1&r=a%2Fb`);
    expect(url).toBe(`${app}/pages/?q=1&r=a%2Fb`);
    expect(seen).toEqual({
      uri: '/pages/?q=1&r=a%2Fb',
      'x-account-id': person.id,
      'x-account-email': person.email,
      'x-account-name': '100 %25 %C3%98deg%C3%A5rd',
      'x-account-groups': 'staff',
    });
    expect(decodeURIComponent(seen['x-account-name'])).toBe('100 % Ødegård');
    // No further redirect, for pages, programs and WebSockets.
    for (const headers of [page, {}, { upgrade: 'websocket' }])
      expect((await browser.get(`${app}/`, headers)).status).toBe(200);
    const smuggled = await browser.get(`${app}/`, { ...page, 'x-account-id': 'admin', 'x-account-groups': 'admins' });
    expect(JSON.parse(smuggled.body.toString())).toMatchObject({ 'x-account-id': person.id });
  });

  it('stores a limited number of codes for one browser', async () => {
    const { server, client, browse } = await open();
    const [{ browser }, other] = [await register(server), await register(server)];
    const begun = await browse().get(`${app}/.vestibule/start?client=${client}`);
    const path = (begun.location ?? '').replace(service, '');
    const statuses: number[] = [];
    for (let at = 0; at < 310; at += 1) statuses.push((await browser.get(path)).status);
    expect(statuses.filter((status) => status === 302)).toHaveLength(300);
    expect(statuses.at(-1)).toBe(503);
    expect((await other.browser.get(path)).status).toBe(302);
  });

  it('omits an address that its owner has not proven', async () => {
    const { server, browse } = await open();
    const { browser, email, id } = await register(server);
    const { seen } = await browse(browser.cookies).visit(`${app}/`);
    expect(seen).toMatchObject({ 'x-account-id': id, 'x-account-email': '', 'x-account-groups': '' });
    expect(JSON.stringify(seen)).not.toContain(email);
  });

  it('passes on only the groups that the client admits', async () => {
    const { server, browse } = await open({ groups: ['staff', 'editors'] });
    const { browser, id } = await register(server);
    for (const group of ['editors', 'staff', 'secret-project'])
      await addToGroup(server.store, { accountId: id, group, at: 0 });
    const { seen } = await browse(browser.cookies).visit(`${app}/`);
    expect(seen).toMatchObject({ 'x-account-groups': 'editors,staff' });
  });

  it('is among the applications of the account, and asks again once it is disconnected', async () => {
    const { client, browser, own } = await enter();
    const { body } = await browser.get('/account/apps');
    expect(body.apps).toMatchObject([{ id: client, scopes: ['openid', 'profile', 'email', 'groups'] }]);
    expect((await browser.send('DELETE', `/account/apps/${client}`, {})).status).toBe(204);
    server.forward(seconds(3));
    expect((await own.get(`${app}/api`, {})).status).toBe(401);
    expect((await own.visit(`${app}/`)).status).toBe(200);
  });

  it.each([
    ['of words', `/find?q=${'%D0%BF%D1%80+'.repeat(620)}`],
    ['of random signs', `/find?q=${randomBytes(6100).toString('base64url')}`],
  ])('keeps an address of 8 kB %s through the sign-in', async (_what, place) => {
    const { server, browse } = await open();
    const { email } = await register(server);
    const visitor = server.client();
    const browser = browse(visitor.cookies);
    const first = await browser.get(app + place);
    const longest = [first.location ?? ''];
    const asked = await browser.visit(app + place);
    longest.push(asked.location ?? '');
    // Proxies with the documented sizes accept 16 kB.
    for (const address of longest) expect(address.length).toBeLessThan(12_000);
    const back = new URL(asked.location ?? '').searchParams.get('return_to') ?? '';
    expect((await visitor.post('/auth/login', { email, password })).status).toBe(200);
    expect((await browser.visit(service + back)).seen).toMatchObject({ uri: place });
  });

  it('puts no header of ours on the host of the application', async () => {
    const { client, own } = await enter();
    const paths = [
      ...['', '?redirect=302'].map((query) => `/forward-auth/${client}${query}`),
      '/forward-auth/unknown',
      ...['start', 'callback', 'sign-out', 'unknown', 'x/', '%00', 'favicon.ico'].map((path) => `/.vestibule/${path}`),
      ...['/.VESTIBULE/x', '//.vestibule/x', '/a/../.vestibule/x', '/%2evestibule/x', '/a/%2e%2e/.vestibule/x'],
      `/.vestibule/start?client=${client}`,
    ];
    const cookie = [...own.jarOf(app)].map(([name, value]) => `${name}=${value}`).join('; ');
    const at = { 'x-forwarded-host': 'wiki.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
    const seen = new Set<number>();
    for (const path of paths)
      for (const extra of [{}, page, { cookie }, { ...page, cookie: 'a=b' }, { 'content-length': 'x' }]) {
        const { status, headers } = await ask(server.url + path, { ...at, ...(extra as IncomingHttpHeaders) });
        seen.add(status);
        const ours = Object.keys(headers).filter((name) => policies.test(name));
        expect([path, status, ours]).toEqual([path, status, []]);
        const cookies = (headers['set-cookie'] ?? []).filter((line) => !line.startsWith('__Host-vestibule_'));
        expect(cookies).toEqual([]);
      }
    expect([...seen].sort()).toEqual([204, 302, 400, 401, 403, 404]);
    // A page of ours keeps them, whatever its address contains.
    const { headers } = await ask(`${server.url}/devices/.vestibule/`, at);
    expect(headers).toHaveProperty('content-security-policy');
  });

  it('responds to programs, WebSockets and forms with 401, and pages with an address or a redirect', async () => {
    const { server, client } = await open();
    const own = { 'x-forwarded-host': 'wiki.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
    const check = async (headers: IncomingHttpHeaders, query = '') => {
      const response = await ask(`${server.url}/forward-auth/${client}${query}`, { ...own, ...headers });
      expect(response.headers).toMatchObject({ 'x-account-id': '', 'x-account-email': '', 'x-account-groups': '' });
      return [response.status, response.headers.location];
    };
    const start = `${app}/.vestibule/start?client=${client}&place=%2Fa%3Fb`;
    const uri = { 'x-forwarded-uri': '/a?b' };
    expect(await check({ ...page, ...uri })).toEqual([401, start]);
    expect(await check({ ...page, ...uri }, '?redirect=302')).toEqual([302, start]);
    expect(await check({ accept: 'text/html,*/*', ...uri })).toEqual([401, start]);
    for (const query of ['', '?redirect=302']) {
      expect(await check({ accept: 'application/json' }, query)).toEqual([401, undefined]);
      expect(await check({ accept: 'text/html', 'sec-fetch-mode': 'cors' }, query)).toEqual([401, undefined]);
      // Traefik removes the header `Upgrade`.
      expect(await check({ accept: '*/*', 'sec-fetch-mode': 'websocket' }, query)).toEqual([401, undefined]);
      for (const upgrade of [{}, { connection: 'Upgrade' }])
        expect(await check({ ...page, upgrade: 'websocket', ...upgrade }, query)).toEqual([401, undefined]);
      expect(await check({ ...page, 'x-forwarded-method': 'POST' }, query)).toEqual([401, undefined]);
    }
  });

  it('admits only members of the client’s groups', async () => {
    const { server, browse } = await open({ groups: ['staff', 'guests'] });
    const { browser, id } = await register(server);
    const refused = await browse(browser.cookies).visit(`${app}/`);
    expect(refused.location).toMatch(`${service}/no-access/`);
    await addToGroup(server.store, { accountId: id, group: 'guests', at: 0 });
    expect((await browse(browser.cookies).visit(`${app}/`)).status).toBe(200);
  });

  it('ends access within seconds after the loss of the group', async () => {
    const { server, browse } = await open({ groups: ['staff'] });
    const { id: accountId, browser } = await register(server);
    await addToGroup(server.store, { accountId, group: 'staff', at: 0 });
    const own = browse(browser.cookies);
    expect((await own.visit(`${app}/`)).status).toBe(200);
    await removeFromGroup(server.store, { accountId, group: 'staff' });
    server.forward(seconds(3));
    expect([401, 403]).toContain((await own.get(`${app}/api`, {})).status);
  });

  it('signs out everywhere, but not for other sites', async () => {
    const { client, browser, own } = await enter();
    const signOut = `${app}/.vestibule/sign-out?client=${client}`;
    const clicked = { ...page, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document', 'sec-fetch-user': '?1' };
    const others: IncomingHttpHeaders[] = [
      page,
      { ...clicked, 'sec-fetch-site': 'cross-site' },
      { ...clicked, 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image', accept: 'image/*' },
      { ...clicked, 'sec-fetch-dest': 'iframe' },
      { ...clicked, 'sec-fetch-user': '?0' },
      { ...clicked, 'sec-purpose': 'prefetch;prerender' },
    ];
    for (const headers of others)
      expect((await own.get(signOut, headers)).location).toBe(`${service}/sign-out/?client_id=${client}`);
    expect((await browser.post('/auth/refresh')).status).toBe(200);
    const left = await own.get(signOut, clicked);
    expect(left.location).toBe(`${service}/`);
    expect((await browser.post('/auth/refresh')).status).toBe(401);
    expect((await own.visit(`${app}/`)).location).toMatch(`${service}/?return_to=`);
  });

  describe('refuses', () => {
    /** Our page, since people cannot read a problem document. */
    const over = new RegExp(`^${service}/connect/failed/\\?reference=[0-9A-F]{10}$`);

    /** Goes as far as the callback, without opening it. */
    async function untilCallback() {
      const { server, client, browse } = await open();
      const { browser } = await register(server);
      const own = browse(browser.cookies);
      const first = await own.get(`${app}/secret`);
      const second = await own.get(first.location ?? '');
      const third = await own.get(second.location ?? '');
      expect(third.location).toMatch(`${app}/.vestibule/callback?code=`);
      return { server, client, browse, own, callback: third.location ?? '', signIn: second.location ?? '' };
    }

    it('a code in another browser, which login CSRF would use', async () => {
      const { browse, own, callback } = await untilCallback();
      const victim = browse();
      expect((await victim.get(callback)).location).toMatch(over);
      await victim.get(`${app}/.vestibule/start?client=${new URL(callback).searchParams.get('client')}`);
      expect((await victim.get(callback)).location).toMatch(over);
      expect(victim.jarOf(app).has('__Host-vestibule_session')).toBe(false);
      // A browser that did not begin never reaches the code, so its owner still gets in.
      expect((await own.get(callback)).location).toBe(`${app}/secret`);
    });

    it('a code that is old; until then its browser can repeat a request whose response was lost', async () => {
      const { own, callback } = await untilCallback();
      const responses = await Promise.all(Array.from({ length: 20 }, () => own.get(callback)));
      expect(responses.filter(({ location }) => location !== `${app}/secret`)).toEqual([]);
      const late = await untilCallback();
      late.server.forward(minutes(1));
      expect((await late.own.get(late.callback)).location).toMatch(over);
    });

    it('a state that was changed, is for another client, or for another host', async () => {
      const { server, own, callback, signIn } = await untilCallback();
      const changed = new URL(callback);
      changed.searchParams.set('state', `x${changed.searchParams.get('state')}`);
      expect((await own.get(changed.href)).location).toMatch(over);
      await addClient(server, 'other');
      expect((await own.get(signIn.replace(/wiki\d+/, 'other'))).status).toBe(404);
      const wrongHost = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
      const jar = [...own.jarOf(app)].map(([name, value]) => `${name}=${value}`).join('; ');
      const { pathname, search } = new URL(callback);
      const stolen = await ask(server.url + pathname + search, { ...wrongHost, cookie: jar, 'x-forwarded-for': '::1' });
      expect(stolen.status).toBe(403);
    });

    it('the cookie of another client or host, and a forged one', async () => {
      const { server, own, callback } = await untilCallback();
      await own.get(callback);
      const cookie = own.jarOf(app).get('__Host-vestibule_session') ?? '';
      await addClient(server, 'second', { origins: [app, 'https://wiki2.example'] });
      const check = (client: string, host: string, text: string) =>
        ask(`${server.url}/forward-auth/${client}`, {
          'x-forwarded-host': host,
          'x-forwarded-proto': 'https',
          'x-forwarded-for': '203.0.113.9',
          cookie: `__Host-vestibule_session=${text}`,
        }).then(({ status }) => status);
      const client = new URL(callback).searchParams.get('state') ?? '';
      const own1 = JSON.parse(Buffer.from(client.split('.')[0] ?? '', 'base64url').toString()).client as string;
      expect(await check(own1, 'wiki.example', cookie)).toBe(204);
      expect(await check('second', 'wiki.example', cookie)).toBe(401);
      expect(await check('second', 'wiki2.example', cookie)).toBe(401);
      expect(await check('second', 'evil.example', cookie)).toBe(403);
      expect(await check(own1, 'wiki.example', `${cookie.startsWith('x') ? 'y' : 'x'}${cookie.slice(1)}`)).toBe(401);
      expect(await check('unknown', 'wiki.example', cookie)).toBe(404);
    });

    it('a copy of an older refresh token', async () => {
      const { server, browse } = await open();
      const { browser } = await register(server);
      const copy = browser.copy();
      await browser.post('/auth/refresh');
      server.forward(minutes(1));
      expect((await browse(copy.cookies).visit(`${app}/`)).location).toMatch(`${service}/?return_to=`);
      expect((await browse(browser.cookies).visit(`${app}/`)).status).toBe(200);
    });
  });
});

test('headers that no trusted proxy forwarded choose neither the host nor the page', async () => {
  const server = await openTestServer('sqlite', { TRUSTED_PROXIES: '' });
  await addClient(server, 'one');
  await addClient(server, 'two', { origins: [app, 'https://wiki2.example'] });
  const forged = {
    ...page,
    'x-forwarded-host': 'wiki2.example',
    'x-forwarded-proto': 'https',
    'x-forwarded-uri': '/transfer',
    'x-forwarded-for': '203.0.113.9',
  };
  const one = await ask(`${server.url}/forward-auth/one`, forged);
  expect(one.headers.location).toBe(`${app}/.vestibule/start?client=one&place=%2F`);
  expect((await ask(`${server.url}/forward-auth/two`, forged)).status).toBe(403);
  expect((await ask(`${server.url}/.vestibule/start?client=two`, forged)).status).toBe(404);
});

test('each port of a host has its own cookie', async () => {
  const server = await openTestServer('sqlite');
  const ports = ['http://localhost:4000', 'http://localhost:4001'];
  const names: string[] = [];
  for (const [at, origin] of ports.entries()) {
    await addClient(server, `port${at}`, { origins: [origin] });
    const host = { 'x-forwarded-host': new URL(origin).host, 'x-forwarded-proto': 'http', 'x-forwarded-for': '::1' };
    const { headers } = await ask(`${server.url}/.vestibule/start?client=port${at}`, host);
    names.push(headers['set-cookie']?.[0]?.split('=', 1)[0] ?? '');
  }
  expect(names).toEqual(['vestibule_nonce_4000', 'vestibule_nonce_4001']);
});

test.each([
  ['/a/b?c=d', '/a/b?c=d'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['https:evil.example', '/'],
  ['javascript:alert(1)', '/'],
  ['/.vestibule/sign-out', '/'],
  ['@evil.example', '/'],
  ['', '/'],
  [`/${'a'.repeat(8191)}`, `/${'a'.repeat(8191)}`],
  [`/${'a'.repeat(8192)}`, '/'],
])('a return to %.40j leads to %.40j', (given, expected) => expect(placeOn(app, given)).toBe(expected));

test.each([
  ['Anna Berg', 'Anna Berg'],
  [' Anna ', '%20Anna%20'],
  ['a\r\nX-Account-Id: 1', 'a%0D%0AX-Account-Id: 1'],
  ['\ud800', '%EF%BF%BD'],
  ['😀', '%F0%9F%98%80'],
])('the header of %j is %j', (text, header) => expect(headerText(text)).toBe(header));
