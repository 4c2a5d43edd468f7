import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { usualEngines } from '../../testing/databases/databases.ts';
import { register, signedIn } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { readRedirectRules } from './redirect-rules.ts';

const rules = join(mkdtempSync(join(tmpdir(), 'vestibule-rules-')), 'redirects.json');
writeFileSync(rules, JSON.stringify({ '/old/*': 'https://app.example/*', '/help/': '/recovery/' }));

test.each<[string, string | undefined, RegExp]>([
  ['does not exist', undefined, /rules\.json cannot be read \(ENOENT\)$/],
  ['is not JSON', '{"/a/":"/b/",}', /rules\.json is not JSON: .*line 1/],
  ['is a list', '[]', /rules\.json must be a JSON object of paths and targets$/],
  ['has an invalid path', '{"/a/":"/b/","old page":"/"}', /of paths and targets; it is wrong at "old page"$/],
  ['has an invalid target', '{"/a/":7}', /of paths and targets; it is wrong at "\/a\/"$/],
])('a rules file that %s is refused with the reason', (_, text, says) => {
  const file = join(mkdtempSync(join(tmpdir(), 'vestibule-rules-')), 'rules.json');
  if (text !== undefined) writeFileSync(file, text);
  expect(() => readRedirectRules(file, 'https://door.example')).toThrow(says);
});

test('a rules file may begin with a byte order mark', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'vestibule-rules-')), 'rules.json');
  writeFileSync(file, '\uFEFF{"/help/":"/recovery/"}');
  expect(readRedirectRules(file, 'https://door.example')('/help/')).toBe('/recovery/');
});

describe.each(usualEngines)('last places and redirect rules, on %s', async (engine) => {
  const server = await openTestServer(engine, { PLACE_ORIGINS: 'https://app.example', REDIRECT_RULES: rules });

  test('the account remembers a place for every device', async () => {
    const { email, browser } = await register(server);
    expect((await browser.put('/additionally/way', { place: '/dashboard/?tab=1' })).status).toBe(204);
    const other = await signedIn(server, email);
    expect((await other.get('/additionally/way')).body).toEqual({ last_place: '/dashboard/?tab=1' });
    await other.put('/additionally/way', { place: 'https://app.example/reports' });
    expect((await browser.get('/additionally/way')).body).toEqual({ last_place: 'https://app.example/reports' });
  });

  test.each([
    [{ place: 'https://evil.example/' }, '422 place_not_allowed'],
    [{ place: '//evil.example' }, '422 place_not_allowed'],
    [{ place: 'javascript:alert(1)' }, '422 place_not_allowed'],
    [{}, '422 validation_failed place required'],
    [{ place: 7 }, '422 validation_failed place not_understood'],
    [{ place: `/${'x'.repeat(3000)}` }, '422 validation_failed place not_understood'],
  ])('%j gets %s, and the last place stays', async (body, expected) => {
    const { browser } = await register(server);
    expect(await browser.put('/additionally/way', body)).toSay(expected);
    expect((await browser.get('/additionally/way')).body).toEqual({ last_place: '/computers/add/' });
  });

  test('the last place is only for signed-in users', async () => {
    const browser = server.client();
    expect(await browser.get('/additionally/way')).toSay('401 not_signed_in');
    expect(await browser.put('/additionally/way', { place: '/dashboard/' })).toSay('401 not_signed_in');
  });

  test('the operator’s product is the default', async () => {
    const product = await openTestServer(engine, { PRODUCT_URL: 'https://product.example/start' });
    const { browser } = await register(product);
    expect((await browser.get('/additionally/way')).body).toEqual({ last_place: 'https://product.example/start' });
  });

  test.each([
    ['/old/a?b=1', { redirect: 'https://app.example/a?b=1' }],
    ['/help/', { redirect: '/recovery/' }],
    ['/', {}],
  ])('the rule for %s is %j', async (path, expected) => {
    const response = await server.client().get(`/additionally/rule?path=${encodeURIComponent(path)}`);
    expect(response).toMatchObject({ status: 200, body: expected });
    if (!('redirect' in expected)) expect(response.body).toEqual({});
  });

  test('a request for a rule needs a path', async () =>
    expect(await server.client().get('/additionally/rule')).toSay('422 validation_failed path required'));
});
