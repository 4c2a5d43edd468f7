import { afterEach, beforeEach, describe, expect, it, onTestFinished, test, vi } from 'vitest';
import { pathIn, splitPath } from '../../contract/languages.ts';
import { pageSettings } from '../../gallery/examples/page-settings.ts';
import { pages } from '../../site/pages.ts';
import { browserStorage, tabStorage } from '../platform/storage.ts';
import { forgetLink, keepQuery, keptQuery, withLink } from './kept-query.ts';
import { keepServerPlace, lastPlace } from './last-place.ts';
import { type MiddlewareName, PageNotFound, type Place, placeOf, type Route } from './route.ts';
import { guard, ruleRequest } from './trips.ts';

beforeEach(() => {
  browserStorage.write('email', undefined);
  browserStorage.write('db_type', undefined);
  forgetLink();
  keptQuery.write({ email: '', link: undefined, dbType: undefined });
});

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Keeps the query of an address; returns the rest of it. */
const keep = (query: string, carriesLink = true) => {
  const url = new URL(`https://example.com/reset-password/${query}`);
  keepQuery(url, { carriesLink });
  return url.search;
};

describe('the query', () => {
  it('is kept and removed from the address', () => {
    expect(keep('?email=ann%40example.com&hash=abc&db_type=pg&x=1')).toBe('?x=1');
    expect(keptQuery.read()).toEqual({
      email: 'ann@example.com',
      link: { hash: 'abc', email: 'ann@example.com', call: '' },
      dbType: 'pg',
    });
    expect([browserStorage.read('email'), browserStorage.read('db_type')]).toEqual(['ann@example.com', 'pg']);
  });

  it('contains the call of an emailed link, which is also secret', () => {
    expect(keep('?call=some-call&hash=abc')).toBe('');
    expect(keptQuery.read()).toMatchObject({ link: { call: 'some-call', hash: 'abc' } });
    expect(browserStorage.read('email')).toBeUndefined();
  });

  it('adds the link to an address again if the browser forbids storage', () => {
    vi.stubGlobal('sessionStorage', undefined);
    const address = 'https://example.com/reset-password/?x=1';
    expect(withLink(address)).toBe(address);
    keep('?email=ann%40example.com&hash=abc&call=some-call');
    expect(withLink(address)).toBe(`${address}&hash=abc&email=ann%40example.com&call=some-call`);
  });

  it('drops a link from the address of a page that does not take links', () => {
    expect(keep('?email=ann%40example.com&hash=abc', false)).toBe('');
    expect(keptQuery.read()).toMatchObject({ email: 'ann@example.com', link: undefined });
    expect(tabStorage.read('link')).toBeUndefined();
  });

  it('stays kept on pages without a query', () => {
    keep('?email=ann%40example.com&hash=abc');
    keep('');
    expect(keptQuery.read()).toMatchObject({ email: 'ann@example.com', link: { hash: 'abc' } });
  });

  it('keeps the email of a link until the link is forgotten, even if another email is typed', () => {
    keep('?email=ann%40example.com&hash=abc');
    keep('?email=bob%40example.com');
    expect(keptQuery.read()).toMatchObject({ email: 'bob@example.com', link: { email: 'ann@example.com' } });
    forgetLink();
    keep('');
    expect(keptQuery.read().link).toBeUndefined();
  });

  it('replaces an email that was typed before', () => {
    tabStorage.write('draft.sign-in', '{"email":"old@example.com"}');
    keep('');
    expect(tabStorage.read('draft.sign-in')).toBeDefined();
    keep('?email=ann%40example.com');
    expect(tabStorage.read('draft.sign-in')).toBeUndefined();
  });

  it.each([
    ['given twice', '?email=a%40b.example&email=c%40d.example'],
    ['empty', '?email='],
    ['a label of more than 64 characters', `?db_type=${'x'.repeat(65)}`],
    ['an address of 180 characters', `?email=${'x'.repeat(180)}`],
  ])('is not kept when %s', (_sentence, query) => {
    expect(keep(query)).toBe('');
    expect(keptQuery.read()).toEqual({ email: '', link: undefined, dbType: undefined });
  });
});

const origin = 'https://door.example';

beforeEach(() => vi.stubGlobal('location', new URL(`${origin}/`)));
afterEach(() => {
  tabStorage.write('return_place', undefined);
  vi.unstubAllGlobals();
});

/** Where a browser goes after a sign-in that a link with `return_to` began; undefined for its usual last place. */
async function placeAfterSignIn(place: string): Promise<string | undefined> {
  keepServerPlace(new URL(`/?${new URLSearchParams({ return_to: place })}`, origin));
  return lastPlace('en').then(
    (path) => new URL(path, origin).href,
    () => undefined,
  );
}

test.each([
  ['/forward-auth/wiki/sign-in?state=x', `${origin}/forward-auth/wiki/sign-in?state=x`],
  ['/connect/?request=x', `${origin}/connect/?request=x`],
  ['/de/connect/?request=x', `${origin}/connect/?request=x`],
])('a sign-in returns to %s', async (place, address) => expect(await placeAfterSignIn(place)).toBe(address));

test.each([
  'https://evil.example/',
  '//evil.example/',
  '/\\evil.example/',
  '/\t/evil.example/',
  '/de//evil.example/',
  '/de/\\evil.example/',
  '/de\t//evil.example/',
  '/de/..//evil.example/',
  '/de/%2e%2e//evil.example/',
  `${origin}//evil.example/`,
  `${origin}/de//evil.example/`,
  'javascript:alert(1)',
  'https:evil.example',
])('a link cannot make a sign-in end at %j', async (place) => {
  const address = await placeAfterSignIn(place);
  expect(address === undefined || new URL(address).origin === origin, address).toBe(true);
});

test.each(['/de//evil.example/', '/de/\\evil.example/', '//evil.example/'])(
  'the language menu of the unknown page %s does not lead to another site',
  (unknown) => {
    const english = pathIn('en', splitPath(unknown).page);
    expect(new URL(english, origin).origin).toBe(origin);
  },
);

const computer: Route = {
  name: 'computer',
  path: '/computers/:id/',
  screen: () => Promise.reject(new Error('not for tests')),
  head: 'dashboard',
  withoutSession: true,
  validate: ({ params }) => /^\d+$/.test(params.id ?? ''),
};
const at = (path: string, routes: readonly Route[] = [computer, ...pages]) =>
  placeOf(routes, new URL(path, pageSettings.publicUrl));

describe('an address leads to', () => {
  it.each([
    ['/', 'sign-in', 'en', '/'],
    ['/de/', 'sign-in', 'de', '/'],
    ['/register/?x=1', 'register', 'en', '/register/'],
    ['/zh/reset-password/', 'reset-password', 'zh', '/reset-password/'],
    ['/computers/add/', 'computers-add', 'en', '/computers/add/'],
    ['/ar/computers/17/', 'computer', 'ar', '/computers/17/'],
  ])('%s: %s in %s', (path, name, language, english) => {
    expect(at(path, [...pages, computer])).toMatchObject({ route: { name }, language, path: english });
  });

  it.each(['/nope/', '/register', '/xx/register/', '/de/register/more/', '/computers//'])('%s: nothing', (path) => {
    expect(at(path)).toBeUndefined();
  });

  it('its parameters', () => expect(at('/computers/17/')?.params).toEqual({ id: '17' }));
});

describe('the guard', () => {
  it('lets an allowed page be shown', async () =>
    expect(await guard(at('/computers/17/') as Place, pageSettings)).toBeUndefined());

  it('responds with 404 if the validation of the route fails', async () => {
    const refusal = guard(at('/de/computers/abc/') as Place, pageSettings);
    await expect(refusal).rejects.toBeInstanceOf(PageNotFound);
    await expect(refusal).rejects.toMatchObject({ message: 'Page Not Found: /de/computers/abc/', status: 404 });
  });

  it('keeps the status of its requests, and shows the page if redirect rules get no response', async () => {
    vi.spyOn(console, 'warn').mockReturnValue();
    vi.stubGlobal('document', { cookie: '' });
    onTestFinished(() => void vi.unstubAllGlobals());
    for (const [response, state] of [
      [() => Promise.resolve(Response.json({})), 'success'],
      [() => Promise.reject(new TypeError('failed')), 'error'],
    ] as const) {
      const during: string[] = [];
      vi.stubGlobal('fetch', () => {
        during.push(ruleRequest.status.read().state);
        return response();
      });
      expect(await guard(at('/computers/17/') as Place, { ...pageSettings, redirectRules: true })).toBeUndefined();
      expect([...during, ruleRequest.status.read().state]).toEqual(['pending', state]);
    }
  });

  it('throws for unknown middleware', async () => {
    const route = { ...computer, middleware: ['toString' as MiddlewareName] };
    await expect(guard({ ...(at('/computers/17/') as Place), route }, pageSettings)).rejects.toThrow(
      'unknown middleware "toString" on page computer',
    );
  });
});
