import { expect, test } from 'vitest';
import { languages, pathIn } from '../../../contract/languages.ts';
import { openTestServer } from '../../../testing/test-server.ts';

const server = await openTestServer('sqlite', { PRODUCT_NAME: 'Wächter' });
const get = async (path: string) => server.client().get(path);

test('each language has a manifest of the same app, whose icons exist and whose start is in that language', async () => {
  for (const { code, tag, dir } of languages) {
    const { status, headers, body: manifest } = await get(pathIn(code, '/manifest.webmanifest'));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/manifest+json; charset=utf-8']);
    expect(manifest).toMatchObject({ id: '/', scope: '/', name: 'Wächter', lang: tag, dir, display: 'standalone' });
    expect(manifest.start_url).toBe(pathIn(code, '/dashboard/'));
    expect(manifest.description).toBeTruthy();
    const icons = new Set<string>(manifest.icons.map(({ src }: { src: string }) => src));
    for (const icon of icons) expect((await get(icon)).headers.get('content-type')).toBe('image/png');
  }
});

test('only pages for signed-in users lead to the manifest, which their policy allows', async () => {
  const { body, headers } = await get('/de/dashboard/');
  expect(body).toContain('<link rel="manifest" href="/de/manifest.webmanifest">');
  expect(headers.get('content-security-policy')).toContain("manifest-src 'self'");
  expect((await get('/de/')).body).not.toContain('manifest.webmanifest');
});

test('browsers check the worker for changes, and it may not load scripts from elsewhere', async () => {
  const { status, headers } = await get('/phone-worker.js');
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-cache');
  expect(headers.get('content-security-policy')).toContain("script-src 'self'");
});
