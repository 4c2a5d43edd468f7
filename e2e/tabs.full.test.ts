import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import { untilServed } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import { routeNext, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

/** Removes from a browser's pages the APIs for communication between tabs. */
const without = (names: readonly string[]) => (page: Page) =>
  page.context().addInitScript((missing) => {
    if (missing.includes('Web Locks')) Reflect.deleteProperty(Navigator.prototype, 'locks');
    if (missing.includes('BroadcastChannel')) Reflect.deleteProperty(globalThis, 'BroadcastChannel');
  }, names);

const isIn = (tab: Page) => tab.getByRole('heading', { name: /Hello, / }).waitFor();

async function openTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(`${site.origin}/dashboard/`);
  await isIn(tab);
  await tab.getByRole('heading', { name: 'No computers yet' }).waitFor();
  return tab;
}

async function enter(page: Page, email: string): Promise<void> {
  await signIn(page, email);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** The end reasons of an account's ended sessions. */
async function endsOf(email: string): Promise<(string | null)[]> {
  const ended = await site.server.store
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select('sessions.end_reason')
    .where('accounts.email', '=', email)
    .where('sessions.ended_at', 'is not', null)
    .execute();
  return ended.map(({ end_reason }) => end_reason);
}

/** Plain http lacks Web Locks; a browser that partitions or forbids storage lacks BroadcastChannel. */
describe.each([
  { missing: [] as string[] },
  { missing: ['Web Locks'] },
  { missing: ['BroadcastChannel'] },
  { missing: ['Web Locks', 'BroadcastChannel'] },
])('the tabs of a browser that lacks $missing', ({ missing }) => {
  async function visitor() {
    const { email } = await register(site.server);
    const page = await site.visit('/', { prepare: without(missing) });
    await enter(page, email);
    return { page, email };
  }

  test('refresh at the same time, repeatedly, and stay signed in', async () => {
    const { page, email } = await visitor();
    const tabs = [await openTab(page), await openTab(page)];
    for (let time = 0; time < 3; time += 1) {
      for (const tab of tabs) await tab.evaluate(() => sessionStorage.removeItem('token'));
      await Promise.all(tabs.map((tab) => tab.reload()));
      for (const tab of tabs) await isIn(tab);
    }
    expect(await endsOf(email)).toEqual([]);
  });

  test('learn from their next request, at the latest, that one of them has signed out', async () => {
    const { page, email } = await visitor();
    const other = await openTab(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You’re signed out.').waitFor();
    if (missing.includes('BroadcastChannel')) await other.reload();
    await other.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    expect(await endsOf(email)).toEqual(['signed_out']);
    await enter(page, email);
    await other.goto(`${site.origin}/dashboard/`);
    await isIn(other);
  });

  test('stay signed in on a shared computer while one of them is in use, but not longer', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/', { prepare: without(missing) });
    await page.clock.install();
    await page.getByLabel('This is a shared computer').check();
    await enter(page, email);
    const inUse = await openTab(page);
    // All tabs have one clock.
    await page.clock.fastForward(minutes(20));
    await inUse.keyboard.press('Shift');
    await page.clock.fastForward(minutes(20));
    await inUse.reload();
    await isIn(inUse);
    expect(await endsOf(email)).toEqual([]);
    for (const tab of [page, inUse]) tab.removeAllListeners('console');
    await page.clock.fastForward(minutes(31));
    await page.getByText('You were signed out after a long period of inactivity.').waitFor();
    await inUse.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    expect(await endsOf(email)).toEqual(['signed_out']);
  });
});

test('a page that requests its data while the server refuses an old session waits for the newer one', async () => {
  const { email, browser } = await register(site.server);
  const page = await site.visit('/');
  await site.shareSession(browser, page);
  await site.server.store.updateTable('sessions').set({ ended_at: 1, end_reason: 'signed_out' }).execute();
  const newer = browser.copy();
  expect((await untilServed(() => newer.post('/auth/login', { email, password }))).status).toBe(200);

  const late = await page.context().newPage();
  const refused = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await routeNext(late, '**/auth/refresh', async (route) => {
    const refusal = await route.fetch();
    refused.resolve();
    await asked.promise;
    await site.shareSession(newer, page);
    const { 'set-cookie': _taken, ...headers } = refusal.headers();
    await route.fulfill({ response: refusal, headers });
  });
  await late.goto(`${site.origin}/dashboard/`, { waitUntil: 'commit' });
  await refused.promise;
  const hints = await page.context().cookies();
  expect(hints.filter(({ name }) => name === 'session_hint')).toEqual([]);
  // The page reads the account again, as after a change in another tab, while no cookie promises a session.
  await late.evaluate(async () => {
    new BroadcastChannel('account').postMessage('changed');
    await new Promise((done) => setTimeout(done, 500));
  });
  asked.resolve();
  await isIn(late);
  await late.getByRole('heading', { name: 'No computers yet' }).waitFor();
  expect(new URL(late.url()).pathname).toBe('/dashboard/');
});
