import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pathIn, splitPath } from '../../contract/languages.ts';
import { tabStorage } from '../platform/storage.ts';
import { keepServerPlace, lastPlace } from './last-place.ts';

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
