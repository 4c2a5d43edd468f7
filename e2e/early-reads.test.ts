import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addComputer, register } from '../src/testing/people.ts';
import { holdNext } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Opens the dashboard of a new account, so that its tab has an access token. */
async function openDashboard(): Promise<Page> {
  const { browser } = await register(site.server);
  const page = await site.visit('/dashboard/', { session: browser });
  await page.getByRole('heading', { name: /Hello, / }).waitFor();
  return page;
}

/** Paths of the requests of the next page, without those for files. */
async function requestsOfNext(page: Page): Promise<string[]> {
  // The page that is still open may read its lists again.
  await page.goto('about:blank');
  return requestsOf(page);
}

/** Paths of the requests from now on, without those for files. */
function requestsOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (!pathname.startsWith('/assets/')) paths.push(pathname);
  });
  return paths;
}

describe('a page behind sign-in', () => {
  test('requests its data before its code arrives, and once', async () => {
    const page = await openDashboard();
    const paths = await requestsOfNext(page);
    const release = await holdNext(page, '**/assets/entry-*.js');
    const opened = page.goto(`${site.origin}/dashboard/`, { waitUntil: 'commit' });
    const data = ['/account', '/computers', '/computers/records'];
    await expect.poll(() => paths).toEqual(['/dashboard/', ...data]);
    release();
    await opened;
    await page.getByRole('heading', { name: /Hello, / }).waitFor();
    await page.getByText('No computers yet').waitFor();
    expect(paths.filter((path) => data.includes(path))).toEqual(data);
  });

  test('polls every five seconds, and the server sends a list again only after a change', {
    tags: 'full',
  }, async () => {
    const { browser } = await register(site.server);
    const page = await site.visit('/dashboard/', { session: browser });
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/computers') statuses.push(response.status());
    });
    await page.getByRole('heading', { name: /Hello, / }).waitFor();
    await expect.poll(() => statuses, { timeout: 30_000 }).toContain(304);
    await addComputer(site.server, browser, 'Front desk');
    await page.getByText('Front desk').first().waitFor();
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(4);
  });

  test('of a device requests the data of that device', { tags: 'full' }, async () => {
    const page = await openDashboard();
    const paths = await requestsOfNext(page);
    // The code never arrives.
    await page.route('**/assets/entry-*.js', () => undefined);
    await page.goto(`${site.origin}/devices/x-1/`, { waitUntil: 'commit' });
    const data = ['/account', '/computers/x-1/history', '/computers/x-1/alarms', '/computers/records'];
    await expect.poll(() => paths).toEqual(['/devices/x-1/', ...data]);
  });

  test('shows it although the token that the tab kept has expired', { tags: 'full' }, async () => {
    const page = await openDashboard();
    // Set before any script of the next page runs, since the open page may store its own again.
    await page.addInitScript(() => sessionStorage.setItem('token', 'an-old-token'));
    const paths = requestsOf(page);
    await page.reload();
    await page.getByRole('heading', { name: /Hello, / }).waitFor();
    expect(paths).toContain('/auth/refresh');
  });

  test('never shows the data of an account that was signed in before', { tags: 'full' }, async () => {
    const page = await openDashboard();
    const other = await register(site.server, { name: 'Grace Hopper' });
    // The early requests carry the token of the first account; the page then finds that of the second.
    await page.route('**/assets/entry-*.js', async (route) => {
      await page.evaluate((token) => sessionStorage.setItem('token', token), other.browser.token ?? '');
      await route.continue();
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Hello, Grace Hopper' }).waitFor();
  });
});
