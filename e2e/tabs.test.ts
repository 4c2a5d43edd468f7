import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes } from '../src/contract/durations.ts';
import { password, register } from '../src/testing/people.ts';
import { openFrontDoor } from './house.ts';

const door = await openFrontDoor();

/** Takes from every page of a browser what it would talk to its other tabs with. */
const without = (names: readonly string[]) => (page: Page) =>
  page.context().addInitScript((missing) => {
    if (missing.includes('Web Locks')) Reflect.deleteProperty(Navigator.prototype, 'locks');
    if (missing.includes('BroadcastChannel')) Reflect.deleteProperty(globalThis, 'BroadcastChannel');
  }, names);

const isIn = (tab: Page) => tab.getByRole('heading', { name: /Hello, / }).waitFor();

async function openTab(page: Page): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.goto(`${door.origin}/dashboard/`);
  await isIn(tab);
  await tab.getByText('There are no notifications.').waitFor();
  return tab;
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** How the sessions of an account ended that did. */
async function endsOf(email: string): Promise<(string | null)[]> {
  const ended = await door.house.store
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select('sessions.end_reason')
    .where('accounts.email', '=', email)
    .where('sessions.ended_at', 'is not', null)
    .execute();
  return ended.map(({ end_reason }) => end_reason);
}

/** A site on plain http has no Web Locks, and a browser that partitions or forbids it no BroadcastChannel. */
describe.each([
  { missing: ['Web Locks'] },
  { missing: ['BroadcastChannel'] },
  { missing: ['Web Locks', 'BroadcastChannel'] },
])('the tabs of a browser without $missing', ({ missing }) => {
  async function visitor() {
    const { email } = await register(door.house);
    const page = await door.visit('/', { prepare: without(missing) });
    await signIn(page, email);
    return { page, email };
  }

  test('refresh at the same time, again and again, and stay in', async () => {
    const { page, email } = await visitor();
    const tabs = [await openTab(page), await openTab(page)];
    for (let time = 0; time < 3; time += 1) {
      for (const tab of tabs) await tab.evaluate(() => sessionStorage.removeItem('token'));
      await Promise.all(tabs.map((tab) => tab.reload()));
      for (const tab of tabs) await isIn(tab);
    }
    expect(await endsOf(email)).toEqual([]);
  });

  test('learn by their next request, at the latest, that one of them has signed out', async () => {
    const { page, email } = await visitor();
    const other = await openTab(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    if (missing.includes('BroadcastChannel')) await other.reload();
    await other.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    expect(await endsOf(email)).toEqual(['signed_out']);
    await signIn(page, email);
    await other.goto(`${door.origin}/dashboard/`);
    await isIn(other);
  });

  test('are not signed out on a shared computer while one of them is in use, and all are afterwards', async () => {
    const { email } = await register(door.house);
    const page = await door.visit('/', { prepare: without(missing) });
    await page.clock.install();
    await page.getByLabel('This is a shared computer').check();
    await signIn(page, email);
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
    await page.getByText('You were signed out after a long time without activity.').waitFor();
    await inUse.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    expect(await endsOf(email)).toEqual(['signed_out']);
  });
});
