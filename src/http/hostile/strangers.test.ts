import { statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Client, statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { addComputer, password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const opened = await openTestServer('sqlite');

/** Sends methods and headers that `fetch` does not allow. */
const send = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const { url } = opened;
  return new Promise<{ status: number | undefined; headers: object }>((resolve, reject) => {
    const sent = request(url + path, { method, headers }, (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode, headers: response.headers }));
    });
    sent.once('error', reject).end();
  });
};

test.each(['/', '/account', '/auth/login', '/auth/csrf', '/openapi.json', '/assets/none.js'])(
  'foreign pages cannot read %s, and its headers do not name the server software',
  async (path) => {
    const origin = 'https://evil.example';
    const asked = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-csrf-token' };
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const { headers } = await send(method, path, asked);
      const names = Object.keys(headers);
      expect(names.filter((name) => /^access-control-|^server$|^x-powered-by$/.test(name))).toEqual([]);
    }
  },
);

test('TRACE is refused', async () => {
  for (const path of ['/', '/auth/login', '/auth/csrf']) expect((await send('TRACE', path)).status).toBe(405);
});

test('every cookie is Secure and Lax for the whole site, and secret cookies are HttpOnly and prefixed', async () => {
  const { url } = opened;
  const page = await fetch(url);
  const { browser } = await register(opened);
  const again = await browser.post('/auth/refresh');
  const lines = [...page.headers.getSetCookie(), ...again.headers.getSetCookie()];
  expect(lines.length).toBeGreaterThan(2);
  expect(lines.filter((line) => !/; Path=\/(?=;|$)/.test(line) || !/; Secure(?=;|$)/.test(line))).toEqual([]);
  expect(lines.filter((line) => !/; SameSite=Lax(?=;|$)/.test(line) || /; Domain=/.test(line))).toEqual([]);
  expect(lines.find((line) => line.startsWith('csrf_token='))).toContain('Max-Age=86400;');
  const secret = lines.filter((line) => /; HttpOnly(?=;|$)/.test(line)).map((line) => line.split('=', 1)[0]);
  expect(secret).toEqual(['__Host-refresh_token']);
});

test('the export is a file whose name the service chooses', async () => {
  const { browser } = await register(opened);
  const { headers } = await browser.get('/account/export');
  expect(headers.get('content-disposition')).toBe('attachment; filename="account-data.json"');
});

test.runIf(process.platform !== 'win32')('only the user of the process can read the data and its keys', async () => {
  const { DATA_DIR } = opened.config;
  const modeOf = (...file: string[]) => statSync(join(DATA_DIR, ...file)).mode & 0o777;
  expect([modeOf(), modeOf('secret.key')]).toEqual([0o700, 0o600]);
});

interface Operation {
  readonly method: string;
  readonly path: string;
  /** The kinds of proof that it requires. */
  readonly proofs: readonly string[];
}

/** Every operation of the OpenAPI document. */
async function operationsOf(server: TestServer): Promise<Operation[]> {
  const { paths } = (await server.client().get('/openapi.json')).body;
  return Object.entries(paths as Record<string, Record<string, { security: object[] }>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path,
      proofs: security.flatMap(Object.keys),
    })),
  );
}

/** Registers an owner who has at least one item of every kind. */
async function owner(server: TestServer) {
  const { browser, email } = await register(server, { name: 'Zebediah Quark' });
  await server.client().post('/auth/login', { email, password });
  await addComputer(server, browser, 'Quark’s laptop');
  return { browser, email };
}

/** The silence of a device, and the hours in which it reported. */
const growing = ['silent_for', 'silence', 'signs'];

/** Everything that the owner sees, without the values that change by themselves. */
async function everythingOf(browser: Client) {
  const responses = await Promise.all(
    ['/account', '/account/sessions', '/account/notifications', '/computers'].map((path) => browser.get(path)),
  );
  const received = responses.map(({ status, body }) => ({ status, body }));
  return JSON.parse(JSON.stringify(received, (name, value) => (growing.includes(name) ? 0 : value)));
}

/** Every id in a response. */
function idsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'id' && typeof inner === 'string' ? [inner] : idsIn(inner),
  );
}

// Other tests cover the requests that end or lock the stranger's own session.
const spared = ['DELETE /account', 'POST /account/password'];

interface ForeignIdRequest extends Operation {
  readonly stranger: Client;
  readonly id: string;
}

/** Sends a request with a foreign id wherever the service could look for one: path, query and body. */
function reach({ stranger, method, path, id }: ForeignIdRequest) {
  const address = path.replace(/\{\w+\}/, encodeURIComponent(id));
  if (method === 'GET')
    return stranger.send(method, `${address}?before=${id}&id=${id}&account=${id}&computer=${id}`, {});
  return stranger.send(method, address, { body: { id, account_id: id, computer: id, name: 'taken' } });
}

describe.each(usualEngines)('a stranger with an owner’s ids, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('can neither read nor change anything with any request', async () => {
    const { browser, email } = await owner(server);
    const before = await everythingOf(browser);
    const ids = idsIn(before);
    expect(ids.length).toBeGreaterThanOrEqual(5);
    const operations = (await operationsOf(server)).filter(
      ({ method, path }) => /^\/(?:account|computers)/.test(path) && !spared.includes(`${method} ${path}`),
    );
    const naming = operations.filter(({ path }) => path.includes('{'));
    expect(naming.length).toBeGreaterThanOrEqual(4);
    for (const operation of operations) {
      const { browser: stranger } = await register(server);
      for (const id of ids) {
        const { status, body } = await reach({ ...operation, stranger, id });
        const text = JSON.stringify(body ?? '');
        const seen = { ...operation, id, broke: status >= 500, leaks: text.includes(email) || text.includes('Quark') };
        expect(seen).toEqual({ ...operation, id, broke: false, leaks: false });
        if (naming.includes(operation)) expect([operation, id, status]).not.toEqual([operation, id, 200]);
      }
    }
    expect(await everythingOf(browser)).toEqual(before);
  });

  test('is refused whatever needs a live session', async () => {
    const { browser } = await register(server);
    const stranger = server.client();
    await stranger.get('/auth/csrf');
    const { token } = browser;
    await browser.post('/auth/logout');
    browser.token = token;
    const closed = (await operationsOf(server)).filter(({ proofs }) => proofs.includes('accessToken'));
    expect(closed.length).toBeGreaterThan(40);
    for (const { method, path } of closed)
      for (const client of [stranger, browser]) {
        const address = path.replace(/\{\w+\}/, 'x');
        const response = await client.send(method, address, method === 'GET' ? {} : { body: {} });
        expect([method, path, statusAndCode(response)]).toEqual([method, path, '401 not_signed_in']);
      }
  });

  test('is refused each change without the CSRF token, also in a browser with a session', async () => {
    const { browser } = await register(server);
    const changes = (await operationsOf(server)).filter(({ proofs }) => proofs.includes('csrfToken'));
    expect(changes.length).toBeGreaterThan(50);
    for (const { method, path } of changes) {
      const address = path.replace(/\{\w+\}/, 'x');
      const response = await browser.send(method, address, { body: {}, headers: { 'x-csrf-token': '' } });
      expect([method, path, statusAndCode(response)]).toEqual([method, path, '403 csrf_failed']);
    }
  });
});
