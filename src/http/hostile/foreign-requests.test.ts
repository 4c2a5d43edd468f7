import { statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

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

test.each(['TRACE', 'OPTIONS', 'PROPFIND', 'DELETE'])(
  '%s is refused on paths that do not support it',
  async (method) => {
    for (const path of ['/', '/auth/login', '/auth/csrf']) {
      expect((await send(method, path)).status).toBeGreaterThanOrEqual(400);
    }
  },
);

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
