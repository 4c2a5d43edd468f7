import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { password, register } from '../src/testing/people.ts';
import { fillInRegistration, holdNext, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Expects that two screens work; other pages read no more of the browser's languages, storage and cookies. */
async function seesScreens(prepare: (page: Page) => Promise<unknown>): Promise<void> {
  const page = await site.visit('/', { prepare });
  await works(page, 'Welcome Back');
  await page.goto(`${site.origin}/register/`);
  await works(page, 'Create a free account');
  await page.context().close();
}

/** Expects that the screen appears, shows no failure, and that its menus open. */
async function works(page: Page, title: string): Promise<void> {
  await page.locator('html[data-alive]').waitFor();
  await page.getByRole('heading', { name: title, exact: true }).waitFor();
  await page.getByRole('button', { name: 'Appearance' }).click();
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
}

const fillIn = (page: Page, email: string) => fillInRegistration(page, { email, phone: '+1 202 555 0147' });

const withLanguages = (languages: unknown) => (page: Page) =>
  page.addInitScript((value) => Object.defineProperty(navigator, 'languages', { get: () => value }), languages);

const withStored = (area: 'localStorage' | 'sessionStorage', items: Record<string, string>) => (page: Page) =>
  page.addInitScript(([name, kept]) => Object.assign(window[name], kept), [area, items] as const);

/** A browser that throws on access to `names`, as some do when the user blocks all cookies. */
const withForbidden =
  (...names: string[]) =>
  (page: Page) =>
    page.addInitScript((forbidden) => {
      const forbid = () => {
        throw new DOMException('forbidden', 'SecurityError');
      };
      for (const name of forbidden) {
        const owner = name === 'cookie' ? Document.prototype : window;
        Object.defineProperty(owner, name, { get: forbid, set: forbid });
      }
    }, names);

describe('pages work with unusual values from the browser', () => {
  test.each(
    Object.entries<(page: Page) => Promise<unknown>>({
      'languages with a POSIX modifier': withLanguages(['en-US@posix']),
      'invalid languages': withLanguages(['', 'C', 'de_DE.UTF-8', '*', 'x'.repeat(300)]),
      'no languages': withLanguages([]),
      'nothing instead of languages': withLanguages(undefined),
      'languages that throw on access': (page) =>
        page.addInitScript(() =>
          Object.defineProperty(navigator, 'languages', {
            get() {
              throw new DOMException('forbidden', 'SecurityError');
            },
          }),
        ),
      'forbidden storage': withForbidden('localStorage', 'sessionStorage'),
      'forbidden storage and cookies': withForbidden('localStorage', 'sessionStorage', 'cookie'),
      'full storage': (page) =>
        page.addInitScript(() => {
          Storage.prototype.setItem = () => {
            throw new DOMException('full', 'QuotaExceededError');
          };
        }),
      'drafts that are not ours': withStored('sessionStorage', {
        'draft.sign-in': '{"email":',
        'draft.register': '["name"]',
        'draft.phone-call': '{"id":7}',
        'draft.recovery-sent': 'null',
        reloaded_at: 'yesterday',
      }),
      'a malformed address': withStored('localStorage', { email: '%E0%A4%A'.repeat(99), db_type: '<b>' }),
      'malformed cookies': (page) =>
        page.context().addCookies(
          ['theme', 'csrf_token', 'i18n_redirected', 'session_hint', 'XSRF-TOKEN'].map((name) => ({
            name,
            value: '%E0%A4%A',
            url: site.origin,
          })),
        ),
    }),
  )('%s', (_what, prepare) => seesScreens(prepare));

  test.each([
    [['en-US@posix', 'en-GB'], 'GB +44'],
    [['de-AT', 'en-CA'], 'CA +1'],
    [['en-US@posix'], 'US +1'],
  ])('with the languages %j the default country of a phone number is %s', async (languages, country) => {
    const page = await site.visit('/register/', { prepare: withLanguages(languages) });
    await page.getByText(country, { exact: true }).waitFor();
  });

  // A cookie for a longer path comes first, as one for a parent domain does if it is older.
  const beforeOurs = (page: Page) =>
    page.context().addCookies([
      {
        name: 'csrf_token',
        value: 'of-another-application',
        domain: new URL(site.origin).hostname,
        path: '/register',
      },
    ]);

  test.each([
    ...['Pacific/Kiritimati', 'America/St_Johns', 'Etc/GMT+12', 'Asia/Kathmandu'].map(
      (timezoneId) => [`in the time zone ${timezoneId}`, { timezoneId }] as const,
    ),
    ['beside a cookie of another application', { prepare: beforeOurs }] as const,
  ])('someone can register %s', async (circumstances, options) => {
    const page = await site.visit('/register/', options);
    await fillIn(page, `${circumstances.replaceAll(/\W/g, '-')}@example.com`);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/computers/add/');
  });

  test('someone can register with forbidden storage and an unknown time zone', async () => {
    const page = await site.visit('/register/', {
      prepare: async (visited) => {
        await withForbidden('localStorage', 'sessionStorage')(visited);
        await visited.addInitScript(() => {
          Intl.DateTimeFormat.prototype.resolvedOptions = () => {
            throw new RangeError('no time zone');
          };
        });
      },
    });
    await fillIn(page, 'nowhere@example.com');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/computers/add/');
  });

  test('text that was typed while the page loaded stays, although an extension has changed the page', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/reset-password/');
    // React reports that the page differs from what it expected.
    page.removeAllListeners('pageerror');
    const release = await holdNext(page, /entry-.*\.js/);
    await page.goto(site.origin, { waitUntil: 'commit' });
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByLabel('This is a shared computer').check();
    await page.getByLabel('Password', { exact: true }).pressSequentially(password);
    await page.evaluate(() => {
      for (const input of document.querySelectorAll('input')) input.before(document.createElement('span'));
    });
    release();
    await page.locator('html[data-alive]').waitFor();
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await expect.poll(() => page.getByLabel('This is a shared computer').isChecked()).toBe(true);
    await page.getByLabel('Password', { exact: true }).press('Enter');
    await page.waitForURL('**/computers/add/');
  });

  test('with blocked cookies, signing in says that they are needed', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/', {
      prepare: async (visited) => {
        const devTools = await visited.context().newCDPSession(visited);
        await devTools.send('Emulation.setDocumentCookieDisabled', { disabled: true });
        await visited.route('**/*', async (route) => {
          const response = await route.fetch({ headers: { ...route.request().headers(), cookie: '' } });
          const { 'set-cookie': _blocked, ...headers } = response.headers();
          await route.fulfill({ response, headers });
        });
      },
    });
    page.removeAllListeners('console');
    await signIn(page, email);
    await page.getByText('Your browser blocks cookies').first().waitFor();
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe(password);
  });
});
