import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addAuthenticator } from '../src/testing/authenticator.ts';
import { register } from '../src/testing/people.ts';
import { buttonOf, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const banner = (page: Page) => page.getByText('Someone asked to remove the second step');

/** A browser that has typed the right password. */
async function begin(email: string): Promise<Page> {
  const page = await site.visit('/');
  await signIn(page, email);
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  return page;
}

/** A person with an authenticator, and a browser without it that has requested the removal. */
async function requestRemoval() {
  const { email, browser } = await register(site.server);
  const app = await addAuthenticator(site.server, browser);
  const page = await begin(email);
  await buttonOf(page, 'I’ve lost access to all of these').click();
  await page.getByRole('heading', { name: 'Remove the second step' }).waitFor();
  await buttonOf(page, 'Request removal').click();
  await page.getByRole('heading', { name: 'Removal requested' }).waitFor();
  const { text } = await site.server.mailTo(email, /will be removed/);
  const [link = ''] = /\S+\/keep-second-step\/\?\S+/.exec(text) ?? [];
  return { email, browser, app, page, link: link.slice(site.origin.length) };
}

describe('a lost second step', () => {
  test('is announced at every sign-in and in the account, until the link in the email keeps it', async () => {
    const { email, browser, app, page, link } = await requestRemoval();
    const again = await begin(email);
    await again.getByText('The second step will be removed on').waitFor();
    const account = await site.visit('/account/', { session: browser });
    await banner(account).waitFor();

    const opened = await site.visit(link);
    await opened.getByRole('heading', { name: 'Keep the second step' }).waitFor();
    // Opening the page has changed nothing, because mail scanners open links.
    await account.reload();
    await banner(account).waitFor();
    await buttonOf(opened, 'Stop the removal').click();
    await opened.getByRole('heading', { name: 'The removal was stopped' }).waitFor();

    const read = account.waitForResponse((response) => new URL(response.url()).pathname === '/account/security');
    await account.reload();
    await read;
    await expect.poll(() => banner(account).count()).toBe(0);
    // The sign-in of the person who requested it has ended.
    await page.reload();
    await page.getByRole('heading', { name: 'Please start again' }).waitFor();
    const later = await site.visit(link);
    await buttonOf(later, 'Stop the removal').click();
    await later.getByRole('alert').waitFor();
    const owner = await begin(email);
    await owner.getByLabel('Code from the app').fill(app.nextCode());
    // The page that the account was last at.
    await owner.waitForURL('**/account/');
  });
});
