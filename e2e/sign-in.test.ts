import { setTimeout as pause } from 'node:timers/promises';
import type { Page, Request, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
import { chooseLanguage, holdNext, routeNext, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const storedToken = (page: Page) => page.evaluate(() => sessionStorage.getItem('token'));

describe('signing in', () => {
  test('leads to the last place, and later redirects there from pages for signed-out users', async () => {
    const { email, browser } = await register(site.server);
    await browser.put('/additionally/way', { place: '/dashboard/' });
    const page = await site.visit('/');
    await page.context().addCookies([{ name: 'XSRF-TOKEN', value: 'of-a-gateway', url: site.origin }]);
    const way = page.waitForRequest(/\/additionally\/way\?locale=en$/);
    await signIn(page, email);
    expect(await (await way).allHeaders()).toMatchObject({
      authorization: expect.stringMatching(/^Bearer \S+$/),
      'x-csrf-token': expect.stringMatching(/\S/),
      'x-xsrf-token': 'of-a-gateway',
    });
    await page.waitForURL('**/dashboard/');
    await page.getByRole('heading', { name: /Hello, .*Anna Berg/ }).waitFor();
    expect(await storedToken(page)).toMatch(/^ey/);
    await page.goto(`${site.origin}/register/`);
    await page.waitForURL('**/dashboard/');
  });

  test('a shared computer never stores the email, and ends the session after half an idle hour', async () => {
    const { email } = await register(site.server);
    // The link's email is stored until the sign-in.
    const page = await site.visit(`/?email=${email}`);
    await page.clock.install();
    await page.getByLabel('This is a shared computer').check();
    await signIn(page, email);
    await page.waitForURL('**/computers/add/');
    // Only then does the page count idle time.
    await page.getByText('expires in').waitFor();
    await expect.poll(() => page.evaluate(() => localStorage.getItem('email'))).toBeNull();
    const cookies = await page.context().cookies();
    expect(cookies.find(({ name }) => name === 'refresh_token')?.expires).toBe(-1);
    expect(cookies.find(({ name }) => name === 'device')).toBeUndefined();
    // The page may request a new code while it signs out; the server then refuses.
    page.removeAllListeners('console');
    await page.clock.runFor(minutes(31));
    await page.waitForURL(`${site.origin}/`);
    await page.getByText('You were signed out after a long period of inactivity.').waitFor();
  });

  test('a wrong password keeps the address, clears the password and marks the title; after the right one, a server error does not keep the owner out', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    await signIn(page, email, 'wrong one');
    await page.getByText('Incorrect login or password').first().waitFor();
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    await expect.poll(() => page.title()).toMatch(/^Error: /);
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('password');
    page.removeAllListeners('console');
    // With the reference by which the operator finds it.
    await routeNext(page, /\/auth\/login/, (route) =>
      route.fulfill({ status: 500, headers: { 'X-Request-Id': '7K2M' } }),
    );
    await signIn(page, email);
    await page.getByText('Reference: 7K2M').waitFor();
    await routeNext(page, /\/additionally\/way\?/, (route) => route.fulfill({ status: 500 }));
    await signIn(page, email);
    await page.waitForURL('**/account/');
  });

  test('an empty form shows its errors, and removes each as it is fixed', async () => {
    const page = await site.visit('/');
    await page.getByRole('button', { name: 'Login' }).click();
    const summary = page.getByRole('region', { name: 'There is a problem' });
    await summary.waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('There is a problem');
    await summary.getByRole('link', { name: 'E-mail Field cannot be empty' }).click();
    const email = page.getByLabel('Email', { exact: true });
    await expect.poll(() => email.evaluate((field) => field === document.activeElement)).toBe(true);
    await expect.poll(() => email.getAttribute('aria-invalid')).toBe('true');
    await email.fill('anna@example.com');
    await expect.poll(() => email.getAttribute('aria-invalid')).not.toBe('true');
  });

  test('typed text survives a change of language, which keeps the page', async () => {
    const page = await site.visit('/');
    await page.getByLabel('Email', { exact: true }).fill('anna@example.com');
    await page.getByLabel('Password', { exact: true }).fill('half a passw');
    await chooseLanguage(page, '日本語');
    await page.waitForURL('**/ja/');
    await page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Welcome Back' }).waitFor();
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('ja');
    await expect.poll(() => page.locator('[name=email]').inputValue()).toBe('anna@example.com');
    await expect.poll(() => page.locator('[name=password]').inputValue()).toBe('half a passw');
    const chosen = (await page.context().cookies()).find(({ name }) => name === 'i18n_redirected');
    expect(chosen?.value).toBe('ja');
    expect(Math.round(((chosen?.expires ?? 0) - Date.now() / 1000) / 86_400)).toBe(365);
    await page.goto(`${site.origin}/`);
    expect(new URL(page.url()).pathname).toBe('/ja/');
  });

  /** Opens a page that hydrates only after `release`. */
  async function openUnhydrated(path: string) {
    const page = await site.visit('/reset-password/');
    await page.clock.install();
    const release = await holdNext(page, /entry-.*\.js/);
    await page.goto(site.origin + path, { waitUntil: 'commit' });
    return { page, release };
  }

  test('a form submitted before hydration says that it waits, and offers to try again after ten seconds', async () => {
    const { email } = await register(site.server);
    const { page, release } = await openUnhydrated('/');
    await signIn(page, email);
    const button = page.locator('button:not([type=button])');
    const says = () => button.evaluate((element) => getComputedStyle(element, '::after').content);
    await expect.poll(says).toBe('"Please, wait..."');
    await page.clock.runFor(seconds(10));
    await expect.poll(says).toBe('"Try again"');
    await page.clock.resume();
    release();
    await page.waitForURL('**/computers/add/');
  });

  test('leads to the last place in the current language, whatever its language was', { tags: 'full' }, async () => {
    const { email, browser } = await register(site.server);
    await browser.put('/additionally/way', { place: '/de/dashboard/?a=1' });
    const page = await site.visit('/ja/');
    await page.locator('[name=email]').fill(email);
    await page.locator('[name=password]').fill(password);
    await page.locator('button:not([type=button])').click();
    await page.waitForURL('**/ja/dashboard/?a=1');
    await page.goto(`${site.origin}/fr/recovery/`);
    await page.waitForURL(/\/fr\/dashboard\//);

    const guest = await site.visit('/de/computers/add/');
    await guest.waitForURL('**/de/');
    await guest.getByRole('button', { name: 'Sprache' }).click();
    await guest.getByRole('link', { name: 'Polski' }).click();
    await guest.waitForURL('**/pl/');
    await guest.locator('[name=email]').fill(email);
    await guest.locator('[name=password]').fill(password);
    await guest.locator('button:not([type=button])').click();
    await guest.waitForURL('**/pl/computers/add/');
  });

  test('a shared computer hides the account after half an idle hour even if the sign-out fails', {
    tags: 'full',
  }, async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    await page.clock.install();
    await page.getByLabel('This is a shared computer').check();
    await signIn(page, email);
    await page.getByText('expires in').waitFor();
    page.removeAllListeners('console');
    await page.route('**/auth/logout', (route) => route.abort());
    await page.clock.fastForward(minutes(31));
    await page.getByText('You were signed out after a long period of inactivity.').waitFor();
    expect(await storedToken(page)).toBeNull();
    // Nor does another page continue the session, without a connection and with it.
    const next = await page.context().newPage();
    await next.route('**/auth/logout', (route) => route.abort());
    await next.goto(`${site.origin}/dashboard/`);
    await next.getByText('The server can’t be reached.').first().waitFor();
    await next.unrouteAll();
    await next.goto(`${site.origin}/dashboard/`);
    await next.waitForURL(`${site.origin}/`);
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('refresh_token');
  });

  test('a sign-out during a refresh stays a sign-out', { tags: 'full' }, async () => {
    const { browser } = await register(site.server);
    const page = await site.visit('/dashboard/', { session: browser });
    await page.getByRole('heading', { name: /Hello, / }).waitFor();
    page.removeAllListeners('console');
    const gone = Promise.withResolvers<void>();
    const served = Promise.withResolvers<void>();
    await routeNext(page, '**/auth/refresh', async (route) => {
      const response = await route.fetch();
      served.resolve();
      await gone.promise;
      await route.fulfill({ response });
    });
    await page.evaluate(() => sessionStorage.removeItem('token'));
    await page.getByRole('link', { name: 'Records' }).first().click();
    await served.promise;
    await page.getByRole('button', { name: 'Sign out' }).click();
    // Time for a sign-out that does not wait for the refresh.
    await pause(500);
    const late = page.waitForResponse('**/auth/refresh');
    gone.resolve();
    await (await late).finished();
    await page.getByRole('button', { name: 'Login' }).waitFor();
    expect(await storedToken(page)).toBeNull();
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('session_hint');
  });

  test('a lockout follows the server, announces its end, and focuses the password', { tags: 'full' }, async () => {
    const page = await site.visit('/', { prepare: (fresh) => fresh.clock.install() });
    await page.route('**/auth/login', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'retry-after': '34' },
        contentType: 'application/problem+json',
        body: JSON.stringify({ type: 'urn:vestibule:too_many_attempts', code: 'too_many_attempts', minutes: 1 }),
      }),
    );
    await signIn(page, 'anna@example.com');
    await page.getByText('Please try again in 1 minute').waitFor();
    await page.clock.runFor(seconds(36));
    await page.getByRole('status').getByText('You can try again now.').waitFor();
    const field = page.getByLabel('Password', { exact: true });
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('email and db_type of a link are stored, sent, and removed from the address', { tags: 'full' }, async () => {
    const { email } = await register(site.server);
    const page = await site.visit(`/?email=${encodeURIComponent(email)}&db_type=cloud&other=1`);
    await expect.poll(() => page.url()).toBe(`${site.origin}/?other=1`);
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    expect(await page.evaluate(() => [localStorage.getItem('email'), localStorage.getItem('db_type')])).toEqual([
      email,
      'cloud',
    ]);
    const sent = page.waitForRequest('**/auth/login');
    await signIn(page, email);
    expect((await sent).postDataJSON()).toMatchObject({ email, db_type: 'cloud' });
    await page.waitForURL('**/computers/add/');
  });

  describe('tabs that wake together', { tags: 'full' }, () => {
    /** Opens new tabs in the browser of a page and sends them to the dashboard. */
    const wake = (page: Page, count: number, prepare: (tab: Page) => Promise<unknown> = async () => undefined) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const tab = await page.context().newPage();
          await prepare(tab);
          await tab.goto(`${site.origin}/dashboard/`);
          return tab;
        }),
      );
    const isIn = (tab: Page) => tab.getByRole('heading', { name: /Hello, / }).waitFor();
    const turns = (page: Page, state: 'held' | 'pending') =>
      page.evaluate(
        async (kind) => (await navigator.locks.query())[kind]?.filter(({ name }) => name === 'refresh').length,
        state,
      );

    async function visitor() {
      const { browser } = await register(site.server);
      const page = await site.visit('/reset-password/');
      await site.shareSession(browser, page);
      return page;
    }

    /** Wakes tabs with a stopped clock and holds their refreshes until all wait; counts the most parallel refreshes. */
    async function wakeTogether(page: Page, count: number) {
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + minutes(1));
      const asking = { now: 0, most: 0 };
      const released = Promise.withResolvers<void>();
      await page.context().route('**/auth/refresh', async (route) => {
        asking.now += 1;
        asking.most = Math.max(asking.most, asking.now);
        await released.promise;
        const response = await route.fetch();
        asking.now -= 1;
        await route.fulfill({ response });
      });
      const tabs = await wake(page, count);
      await expect.poll(() => turns(page, 'pending')).toBe(count - 1);
      released.resolve();
      return { tabs, asking };
    }

    test('refresh one after the other, so that others never overtake one twice, and stay signed in', async () => {
      const { tabs, asking } = await wakeTogether(await visitor(), 4);
      for (const tab of tabs) await isIn(tab);
      expect(asking.most).toBe(1);
    });

    test('do not wait forever for a tab without a response', async () => {
      const page = await visitor();
      const [stuck] = await wake(page, 1, (tab) => tab.route('**/auth/refresh', () => undefined));
      await expect.poll(() => turns(page, 'held')).toBe(1);
      const [next] = await wake(page, 1);
      await isIn(next as Page);
      expect(await turns(page, 'held')).toBe(1);
      await stuck?.close();
    });
  });

  test('a browser without a session does not send a refresh', { tags: 'full' }, async () => {
    const page = await site.visit('/recovery/');
    const calls: string[] = [];
    page.on('request', (request) => calls.push(new URL(request.url()).pathname));
    await page.reload({ waitUntil: 'networkidle' });
    expect(calls.filter((path) => path.startsWith('/auth/') || path.startsWith('/additionally/'))).toEqual([]);
  });

  test('a tab immediately shows that another one was signed out', { tags: 'full' }, async () => {
    const { browser } = await register(site.server);
    const page = await site.visit('/');
    await site.shareSession(browser, page);
    const other = await page.context().newPage();
    for (const tab of [page, other]) {
      await tab.goto(`${site.origin}/dashboard/`);
      await tab.getByRole('heading', { name: /Hello, / }).waitFor();
    }
    // Otherwise the other tab, or the page before it is opened again, may be the first to learn it.
    const asksForSession = (request: Request) =>
      request.headers().authorization !== undefined || request.url().endsWith('/auth/refresh');
    await other.route('**/*', (route) => (asksForSession(route.request()) ? undefined : route.continue()));
    await page.evaluate(() => sessionStorage.clear());
    await page.goto('about:blank');
    await site.server.store.updateTable('sessions').set({ ended_at: 1, end_reason: 'password_changed' }).execute();
    await page.goto(`${site.origin}/dashboard/`);
    for (const tab of [page, other])
      await tab.getByText('Your password was changed, so you were signed out on all devices.').waitFor();
  });

  describe('a signed-in user', { tags: 'full' }, () => {
    /** Records whether a sign-in or registration form was ever visible. */
    /** A form that appears after six seconds without a redirect, as on a busy machine, does not flash. */
    const watchForForm = (page: Page) =>
      page.addInitScript(() => {
        const look = () => {
          const form = document.querySelector('form');
          const isEarly = performance.now() < 6000;
          if (isEarly && form?.checkVisibility({ visibilityProperty: true }))
            sessionStorage.setItem('seen', location.pathname);
          requestAnimationFrame(look);
        };
        look();
      });

    /** The two seconds after which the form appears never pass, however busy the machine is. */
    const stopLimit = (page: Page) =>
      page.addInitScript(() => {
        const start = window.setTimeout;
        Object.assign(window, {
          setTimeout: (act: () => void, delay?: number) => (delay === 2000 ? 0 : start(act, delay)),
        });
      });

    test.each(['/', '/register/', '/recovery/'])(
      'does not see the form of %s flash while a slow network looks for the session',
      async (path) => {
        const { browser } = await register(site.server);
        const page = await site.visit('/reset-password/', { prepare: watchForForm });
        await stopLimit(page);
        await page.evaluate(() => sessionStorage.clear());
        await site.shareSession(browser, page);
        const slowly = async (route: Route) => {
          await new Promise((resolve) => setTimeout(resolve, seconds(0.7)));
          await route.continue();
        };
        await page.route(/entry-.*\.js|\/auth\/refresh|\/additionally\/way/, slowly);
        await page.goto(site.origin + path, { waitUntil: 'commit' });
        await page.waitForURL('**/computers/add/');
        await expect.poll(() => page.evaluate(() => sessionStorage.getItem('seen'))).toBeNull();
      },
    );

    test('sees the form as soon as the server reports the end of the session', async () => {
      const { browser } = await register(site.server);
      const page = await site.visit('/reset-password/');
      await site.shareSession(browser, page);
      await site.server.store.updateTable('sessions').set({ ended_at: 1, end_reason: 'expired' }).execute();
      await page.goto(site.origin);
      await page.getByText('You were signed out after a long period of inactivity.').waitFor();
      expect(await page.locator('form').evaluate((form) => form.checkVisibility({ visibilityProperty: true }))).toBe(
        true,
      );
    });

    test('sees the form after a while if the code does not load', async () => {
      const { browser } = await register(site.server);
      const page = await site.visit('/reset-password/');
      await site.shareSession(browser, page);
      await page.route(/entry-.*\.js/, () => undefined);
      await page.goto(site.origin, { waitUntil: 'commit' });
      const visible = () => page.locator('form').evaluate((form) => form.checkVisibility({ visibilityProperty: true }));
      await expect.poll(visible).toBe(true);
    });
  });

  test('a button pressed before hydration acts after it', { tags: 'full' }, async () => {
    const { page, release } = await openUnhydrated(`/change-email/?email=ada%40mail.example&hash=${'h'.repeat(43)}`);
    await page.getByRole('button', { name: 'Use this address' }).click();
    release();
    await page.getByText('This link is no longer valid').waitFor();
  });
});
