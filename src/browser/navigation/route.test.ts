import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { pageSettings } from '../../gallery/examples/page-settings.ts';
import { pages } from '../../site/pages.ts';
import { type MiddlewareName, PageNotFound, type Place, placeOf, type Route } from './route.ts';
import { guard, ruleRequest } from './trips.ts';

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
