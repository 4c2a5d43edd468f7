import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { languages, pathIn } from '../../contract/languages.ts';
import { csrfCookie } from '../../contract/pages.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe('pages', async () => {
  const server = await openTestServer('sqlite');
  const get = async (path: string, headers: Record<string, string> = {}) => server.client().get(path, headers);

  // The build renders all languages alike; one is left-to-right with a prefix, the other right-to-left.
  test.each(languages.filter(({ code }) => ['en', 'de', 'ar'].includes(code)))(
    'every screen exists in $code',
    async ({ code, tag, dir }) => {
      const { pages } = server;
      const screens = pages.filter(({ kind, language }) => /open|account/.test(kind) && language === 'en');
      expect(screens.length).toBeGreaterThan(5);
      for (const { path: screen } of screens) {
        const path = pathIn(code, screen);
        const { status, body, headers } = await get(path);
        expect(status).toBe(200);
        expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(headers.get('cache-control')).toBe('no-store');
        expect(body).toMatch(new RegExp(`^<!DOCTYPE html><html lang="${tag}" dir="${dir}"`));
        expect(body).toContain(`<link rel="canonical" href="https://door.example${path}">`);
        for (const other of languages) {
          expect(body).toContain(`hreflang="${other.tag}" href="https://door.example${pathIn(other.code, screen)}"`);
        }
        expect(body).toContain(`hreflang="x-default" href="https://door.example${screen}"`);
        expect(body.match(/<h1/g)).toHaveLength(1);
        expect(body).not.toMatch(/%[A-Z_]+%/);
      }
    },
  );

  test('the page of the account has its own description in each language', async () => {
    const described = await Promise.all(
      languages.map(async ({ code }) => {
        const { body } = await get(pathIn(code, '/account/'));
        return /<meta name="description" content="([^"]+)">/.exec(body)?.[1];
      }),
    );
    expect(described).not.toContain(undefined);
    expect(new Set(described).size).toBe(languages.length);
  });

  test('every document follows the HTML standard, whichever renderer wrote it', async () => {
    const tags = (html: string) => html.replaceAll(/<svg.*?<\/svg>/g, '').match(/<[a-z][^>]*>/g) ?? [];
    for (const { path } of server.pages.filter(({ language }) => language === 'en')) {
      const { body } = await get(path);
      const names = tags(body).map((tag) => tag.replaceAll(/="[^"]*"/g, '='));
      expect(names.length).toBeGreaterThan(30);
      expect(names.filter((tag) => /[A-Z]|\/>$| (?:novalidate|hidden|async)=/.test(tag))).toEqual([]);
      // An empty list of choices must not have the role.
      expect(body).not.toContain('role="listbox"');
      expect(body).not.toMatch(/<svg[^>]* viewbox=/);
    }
  });

  test('a page loads only its own texts in its own language', async () => {
    const { body } = await get('/de/register/_payload.json');
    expect(body).toMatchObject({ language: 'de', page: 'register' });
    const ids = Object.keys(body.messages);
    expect(ids).toContain('register.title');
    expect(ids.filter((id) => /^(sign_in|recovery|reset|dashboard|mail)\./.test(id))).toEqual([]);
  });

  test('a payload is sent again only to a browser that has another one', async () => {
    const { headers } = await get('/de/_payload.json');
    const tag = headers.get('etag') ?? '';
    const strong = tag.replace('W/', '');
    for (const known of [tag, strong, `"other", ${tag}`, `W/"other",${strong}`, '*'])
      expect((await get('/de/_payload.json', { 'if-none-match': known })).status).toBe(304);
    for (const other of ['"other"', '', strong.slice(1, -1), `"*"`])
      expect((await get('/de/_payload.json', { 'if-none-match': other })).status).toBe(200);
  });

  test.each(['/%E0%A4%A', '/%', '/%zz/', '/de/%zz'])(
    'the malformed path %s is the localized 404 page',
    async (path) => {
      const response = await get(path);
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toMatch(/^text\/html/);
      expect(response.body).toContain(`lang="${path.startsWith('/de/') ? 'de' : 'en'}"`);
    },
  );

  test.each(['/auth/%zz', '/assets/%zz'])(
    'the malformed path %s below a prefix of programs is a problem',
    async (path) => {
      expect(await get(path)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );

  test.each([
    ['/register', '/register/'],
    ['/de', '/de/'],
    ['/de/register?email=a%40b.example&x=1', '/de/register/?email=a%40b.example&x=1'],
    ['/en/', '/'],
    ['/en/register/?x=1', '/register/?x=1'],
    ['/en/register', '/register/'],
    ['/computers/add', '/computers/add/'],
  ])('%s redirects permanently to %s', async (path, target) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([308, target, 'no-store']);
  });

  test.each<[string, Record<string, string>, number, string | undefined]>([
    ['a navigation', { 'sec-fetch-mode': 'navigate' }, 308, '/account/?tab=1'],
    ['a navigation in an old browser', { accept: 'text/html,*/*;q=0.8' }, 308, '/account/?tab=1'],
    ['a fetch', { 'sec-fetch-mode': 'cors', accept: 'text/html' }, 401, undefined],
    ['a request with a token', { accept: 'text/html', authorization: 'Bearer none' }, 401, undefined],
    ['a request that accepts any type', { accept: '*/*' }, 401, undefined],
  ])(
    'a path of both an endpoint and a page leads to the page only for navigations: %s',
    async (_, headers, status, target) => {
      // Node's `fetch` always sends `Sec-Fetch-Mode: cors`.
      const [response] = await once(request(`${server.url}/account?tab=1`, { headers }).end(), 'response');
      response.resume();
      expect([response.statusCode, response.headers.location]).toEqual([status, target]);
    },
  );

  test.each([
    ['a navigation', { 'sec-fetch-mode': 'navigate' }, 'text/html; charset=utf-8'],
    ['a fetch', { 'sec-fetch-mode': 'cors', accept: 'text/html' }, 'application/problem+json'],
  ])('an unknown path that begins like an endpoint has the 404 page for people: %s', async (_, headers, type) => {
    const [response] = await once(request(`${server.url}/account/typo/`, { headers }).end(), 'response');
    response.resume();
    expect([response.statusCode, response.headers['content-type']]).toEqual([404, type]);
  });

  test.each([
    ['/en//evil.example/', 404],
    ['//evil.example/', 404],
    ['/nothing/here', 404],
    ['/de/nothing/', 404],
    ['/xx/register/', 404],
    ['/404/', 404],
    ['/error/', 404],
  ])('%s is the not-found page', async (path, expected) => {
    const { status, body, headers } = await get(path);
    expect(status).toBe(expected);
    expect(headers.get('content-type')).toContain('text/html');
    expect(headers.get('location')).toBeNull();
    expect(body).not.toContain('%REFERENCE%');
  });

  test.each([
    '/auth/nothing',
    '/additionally/nothing',
    '/assets/none.js',
    '/builds/nothing.json',
    '/builds/meta/old.json',
    '/.well-known/nothing',
    '/connect/requests/x/nothing',
    '/connect/apps/x/nothing',
    '/forward-auth/nothing/at/all',
    '/nothing/_payload.json',
    '/nothing.js',
    '/de/nothing.css',
    '/logo.png',
  ])('%s gets a problem document instead of a page', async (path) => {
    const response = await get(path);
    expect(response).toSay('404 not_found');
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  test('a POST to an unknown endpoint also gets a problem document', async () =>
    expect(await server.client().post('/nothing/')).toSay('404 not_found'));

  test.each([
    ['POST', '/register/', 'GET, HEAD'],
    ['POST', '/de/', 'GET, HEAD'],
    ['HEAD', '/csp-report', 'POST'],
    ['POST', '/assets/x.js', 'GET, HEAD'],
  ])('%s %s gets 405 with the methods of that address', async (method, path, allowed) => {
    const response = await fetch(server.url + path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allowed]);
    if (method !== 'HEAD') expect(await response.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
  });

  describe('the language of /', () => {
    test.each([
      ['', undefined, 200, null],
      ['de-AT,de;q=0.9,en;q=0.8', undefined, 302, '/de/'],
      ['xx,pt-BR;q=0.8', undefined, 302, '/pt/'],
      ['en-GB,de;q=0.5', undefined, 200, null],
      ['fr;q=0.1,uk;q=0.9', undefined, 302, '/uk/'],
      ['zh-Hant-TW', undefined, 302, '/zh/'],
      ['de', 'ja', 302, '/ja/'],
      ['de', 'en', 200, null],
      ['de', 'nonsense', 302, '/de/'],
    ])('for %j with the cookie %j', async (wanted, cookie, status, location) => {
      const browser = server.client();
      if (cookie) browser.cookies.set('i18n_redirected', cookie);
      const response = await browser.get('/?email=a', { 'accept-language': wanted });
      expect(response.status).toBe(status);
      expect(response.headers.get('location')).toBe(location && `${location}?email=a`);
    });

    test('the language in a URL overrides cookie and headers', async () => {
      const browser = server.client();
      browser.cookies.set('i18n_redirected', 'ja');
      expect((await browser.get('/de/register/', { 'accept-language': 'fr' })).body).toContain('<html lang="de"');
      expect((await browser.get('/register/', { 'accept-language': 'fr' })).body).toContain('<html lang="en"');
    });
  });

  test('the security headers keep foreign content out', async () => {
    const { headers } = await get('/');
    const csp = headers.get('content-security-policy') ?? '';
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      expect(csp).toContain(directive);
    }
    expect(csp).not.toContain('unsafe');
    expect(headers.get('strict-transport-security')).toBe('max-age=63072000; includeSubDomains');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('server')).toBeNull();
  });

  test('assets are cached for a year and compressed', async () => {
    const { body } = await get('/');
    const asset = /\/assets\/entry-[\w-]+\.js/.exec(body)?.[0] ?? '';
    const { status, headers } = await get(asset, { 'accept-encoding': 'br' });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('content-encoding')).toBe('br');
    // A first visit loads seven assets, so each header costs it seven times.
    const ofTransport = [
      'accept-ranges',
      'connection',
      'content-encoding',
      'content-length',
      'content-type',
      'date',
      'keep-alive',
      'vary',
    ];
    expect([...headers.keys()].filter((name) => !ofTransport.includes(name))).toEqual([
      'cache-control',
      'content-security-policy',
      'cross-origin-resource-policy',
      'referrer-policy',
      'strict-transport-security',
      'x-content-type-options',
      'x-frame-options',
    ]);
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
  });
});

describe('requests from machines', async () => {
  const server = await openTestServer('sqlite');
  const get = async (path: string) => server.client().get(path);

  test.each(['/healthz', '/readyz'])('%s', async (path) => expect((await get(path)).status).toBe(200));

  test('the JWKS contains only public keys', async () => {
    const { body } = await get('/.well-known/jwks.json');
    expect(body.keys).toMatchObject([{ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' }]);
    expect(body.keys[0]).not.toHaveProperty('d');
  });

  test('the build and its manifest agree', async () => {
    const { body: latest } = await get('/builds/latest.json');
    const { status, body } = await get(`/builds/meta/${latest.id}.json`);
    expect([status, body.id]).toEqual([200, latest.id]);
  });

  test('the well-known URL redirects to the page that changes a password', async () => {
    const { status, headers } = await get('/.well-known/change-password');
    expect([status, headers.get('location')]).toEqual([302, '/account/security/#change-password']);
  });

  test('a report of a policy violation is accepted, also with an object instead of a string', async () => {
    const said = '{"csp-report":{"effective-directive":{"toString":1},"blocked-uri":{"toString":null}}}';
    const response = await server.client().post('/csp-report', said, { 'content-type': 'application/json' });
    expect(response.status).toBe(204);
  });

  test.each([
    ['GET /healthz', ['Host: door.example', 'host: evil.example'], 400],
    ['GET /', ['Host: door.example', 'host: evil.example'], 400],
    ['GET /de/register/', ['Host: door.example', 'host: door.example'], 400],
    ['GET /nothing', ['Host: door.example', 'host: evil.example'], 400],
    ['GET /healthz', ['Host: door.example'], 200],
    // Absolute form, as for a proxy (RFC 9112, section 3.2.2): the path counts, the host does not.
    ['GET http://door.example/healthz', ['Host: door.example'], 200],
    ['GET http://door.example/de/register/', ['Host: door.example'], 200],
    ['GET HTTPS://door.example/de/_payload.json?x=http://', ['Host: door.example'], 200],
    ['GET http://door.example', ['Host: door.example'], 200],
    ['GET http://door.example?x=1', ['Host: door.example'], 200],
    ['GET http://evil.example//evil.example/register', ['Host: door.example'], 404],
    ['GET /http://door.example/de/register/', ['Host: door.example'], 404],
    ['GET /', ['Host: door.example', `X-Long: ${'x'.repeat(66_000)}`], 431],
    [`GET /${'x'.repeat(66_000)}`, ['Host: door.example'], 431],
    ['GET /', ['Host : door.example'], 400],
  ])('%.60s with %.60j gets %i', async (asked, headers, status) => {
    const head = [`${asked} HTTP/1.1`, ...headers, 'Connection: close'].join('\r\n');
    const heard = await sendRaw(server.url, `${head}\r\n\r\n`);
    expect(heard).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (status >= 400) expect(heard.toLowerCase()).toContain('cache-control: no-store');
  });

  test('a body that is not UTF-8 is refused', async () => {
    const browser = server.client();
    const whole = '{"email":"anna@example.com","password":"\u00e9\u00e9"}';
    const broken = Buffer.from(whole, 'latin1');
    await browser.get('/auth/csrf');
    const response = await fetch(`${server.url}/auth/login`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-csrf-token': browser.cookies.get(csrfCookie) ?? '',
      },
      body: broken,
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'malformed_request' }),
    ]);
  });
});

/** Sends a text on a new connection, and returns everything that comes back. */
async function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) }).setEncoding('utf8');
  socket.write(request);
  let heard = '';
  for await (const part of socket) heard += part;
  return heard;
}

// It renders every page anew, which takes longer than all other tests of pages.
test('the operator’s own name and sentences are escaped in each language, and a payload with others is sent again', {
  tags: 'full',
}, async () => {
  const settings = {
    PRODUCT_NAME: 'Wächter & "Söhne"',
    REGISTRATION_LEAD: 'Free <for> {all} & #.',
    SIGN_IN_PANEL: '{"de":"Alle Rechner der Beispiel GmbH."}',
  };
  const named = await openTestServer('sqlite', settings, { ownPages: true });
  for (const { code } of languages) {
    const { body } = await named.client().get(pathIn(code, '/'));
    expect(body).toContain('Wächter &amp; &quot;Söhne&quot;');
    expect(body).not.toContain('& "S');
    expect(body.includes('Alle Rechner der Beispiel GmbH.')).toBe(code === 'de');
    const registration = await named.client().get(pathIn(code, '/register/'));
    const shown = 'Free &lt;for&gt; {all} &amp; #.';
    expect(registration.body).toMatch(new RegExp(`<p[^>]*>\u2068?${shown}\u2069?</p>`));
    expect(registration.body).toMatch(new RegExp(`name="description" content="\u2068?${shown}`));
    expect(registration.body).not.toMatch(/credit card|Kreditkarte/);
  }
  const other = (await openTestServer('sqlite')).client();
  const tag = (await other.get('/de/_payload.json')).headers.get('etag') ?? '';
  expect((await other.get('/de/_payload.json', { 'if-none-match': tag })).status).toBe(304);
  expect((await named.client().get('/de/_payload.json', { 'if-none-match': tag })).status).toBe(200);
});
