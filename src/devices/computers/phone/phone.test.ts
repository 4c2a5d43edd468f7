import { expect, test } from 'vitest';
import { languages, pathIn } from '../../../contract/languages.ts';
import { minutes } from '../../../contract/units.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { changesSince } from './phone-changes.part.ts';

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

const now = Date.UTC(2026, 10, 21);
const phone = { account: 'a', token: 't', seen: now - minutes(1), low: false, network: 'wifi' };
const reading = { battery: 80, charging: false, network: 'wifi' };
const start = 'start: The page was opened. Battery 80 %. Network: wifi.';

test.each([
  ['nothing new', {}, {}, []],
  ['after an absence', { seen: now - minutes(11) }, {}, [start]],
  ['for the first time', { seen: undefined }, {}, [start]],
  [
    'in an Apple browser',
    { seen: undefined },
    { battery: undefined, network: undefined },
    ['start: The page was opened.'],
  ],
  ['on another network', {}, { network: 'cellular' }, ['network_back: Network: cellular.']],
  ['with little power', {}, { battery: 15 }, ['battery_low: Battery 15 %.']],
  ['with little power but charging', {}, { battery: 15, charging: true }, []],
  ['charged again', { low: true }, { battery: 15, charging: true }, ['battery_enough: Battery 15 %, charging.']],
])('a phone reports changes: %s', (_, known, read, expected) => {
  const { records } = changesSince({ ...phone, ...known }, { ...reading, ...read }, now);
  expect(records.map(({ kind, text }) => `${kind}: ${text}`)).toEqual(expected);
});
