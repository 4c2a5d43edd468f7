import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redirectRules } from '../../http/pages/redirect-rules.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { readPlace } from './last-place.ts';

const server = await openTestServer('sqlite', { PRODUCT_URL: 'https://app.example/start' });
const { pages } = server;
const config = {
  PUBLIC_URL: 'https://door.example',
  PRODUCT_URL: 'https://app.example/start',
  PLACE_ORIGINS: ['https://phones.example'],
};

describe('a last place', () => {
  test.each([
    ['/dashboard/', '/dashboard/'],
    ['/de/computers/add/?a=1#b', '/de/computers/add/?a=1#b'],
    ['https://door.example/dashboard/', '/dashboard/'],
    ['https://app.example/reports?x=1', 'https://app.example/reports?x=1'],
    ['https://phones.example/', 'https://phones.example/'],
    ['/', undefined],
    ['/de/', undefined],
    ['/register/', undefined],
    ['/en/', undefined],
    ['/en', undefined],
    ['/en/recovery/', undefined],
    ['/confirm-mail/?call=x', undefined],
    ['/fr/recovery', undefined],
    ['//evil.example', undefined],
    ['/\\evil.example', undefined],
    ['https:evil.example', undefined],
    ['https:/evil.example', undefined],
    ['https://door.example.evil.example/', undefined],
    ['https://app.example.evil.example/', undefined],
    ['https://phones.example.evil.example/', undefined],
    ['https://phones.example:8443/', undefined],
    ['https://door.example@evil.example/', undefined],
    ['https://user:pass@app.example/', undefined],
    ['http://app.example/', undefined],
    ['javascript:alert(1)', undefined],
    ['java\nscript:alert(1)', undefined],
    ['/\t/evil.example', undefined],
    ['/\r\nLocation: https://evil.example', undefined],
    [' /dashboard/', undefined],
    ['data:text/html,x', undefined],
    ['dashboard/', undefined],
    ['/.//evil.example/', undefined],
    ['', undefined],
  ])('%j is kept as %j', (place, kept) => expect(readPlace({ config, pages }, place)).toBe(kept));

  test.each([
    ['/de/dashboard/?a=1#b', 'fr', '/fr/dashboard/?a=1#b'],
    ['/de/dashboard/', 'en', '/dashboard/'],
    ['/dashboard/', 'zh', '/zh/dashboard/'],
    ['/de/dashboard/', undefined, '/de/dashboard/'],
    ['/reports/7/', 'fr', '/reports/7/'],
    ['https://app.example/de/dashboard/', 'fr', 'https://app.example/de/dashboard/'],
  ])('%s in %s leads to %s', async (place, locale, expected) => {
    const { browser } = await register(server);
    await browser.put('/additionally/way', { place });
    const { body } = await browser.get(`/additionally/way${locale ? `?locale=${locale}` : ''}`);
    expect(body).toEqual({ last_place: expected });
  });

  test('a browser that follows a stored place stays on the allow-list', () => {
    const pieces = fc.constantFrom(
      '/',
      '\\',
      'https:',
      'http:',
      '//',
      'evil.example',
      '@',
      'door.example',
      '\t',
      '..',
      '?',
      '#',
      'app.example',
      ':',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.array(pieces, { maxLength: 8 }).map((all) => all.join('')),
        ),
        (place) => {
          const kept = readPlace({ config, pages }, place);
          if (kept === undefined) return;
          const { origin } = new URL(kept, config.PUBLIC_URL);
          expect(['https://door.example', 'https://app.example', 'https://phones.example']).toContain(origin);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('redirect rules', () => {
  const rules = (all: Record<string, string>) =>
    redirectRules(
      Object.entries(all).map(([pattern, target]) => ({ pattern, target })),
      'https://door.example',
    );

  test.each([
    ['/help/', 'https://help.example/'],
    ['/old/reports/7', 'https://app.example/reports/7'],
    ['/old/special/', '/recovery/'],
    ['/elsewhere/', undefined],
  ])('%s leads to %s', (path, target) => {
    const find = rules({
      '/help/': 'https://help.example/',
      '/old/*': 'https://app.example/*',
      '/old/special/': '/recovery/',
    });
    expect(find(path)).toBe(target);
  });

  test.each([
    [{ '/a/': '/b/', '/b/': '/a/' }, /loop: \/a\/ → \/b\/ → \/a\//],
    [{ '/a/*': '/a/b/*' }, /loop/],
    [{ '/a/': 'https://door.example/b/', '/b/': '/a/' }, /loop/],
    [{ '/a/': '//evil.example' }, /target of \/a\//],
    [{ '/a/': 'javascript:alert(1)' }, /target of \/a\//],
    [{ '/a/': '/\\evil.example' }, /target of \/a\//],
    [{ '/a/*': 'https://app.example*' }, /target of \/a\/\*/],
  ])('%j is refused at startup', (all, message) => expect(() => rules(all as Record<string, string>)).toThrow(message));

  test.each([
    '//evil.example',
    '/\\evil.example',
    '//[x',
    '/\t/evil.example',
    '/@evil.example',
    '/../..//evil.example',
  ])('the rest %j of a path cannot lead to another site', (rest) => {
    for (const target of ['/*', 'https://app.example/*']) {
      const found = rules({ '/old*': target })(`/old${rest}`);
      if (found !== undefined) expect(new URL(found, 'https://door.example').hostname).toMatch(/^(door|app)\.example$/);
    }
  });

  test('a rule whose pattern matches its target does not redirect the target', () => {
    const find = rules({ '/shop/*': '/shop/closed/' });
    expect(find('/shop/closed/')).toBeUndefined();
    expect(find('/shop/1/')).toBe('/shop/closed/');
  });
});
