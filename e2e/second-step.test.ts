import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { minutes, seconds } from '../src/contract/units.ts';
import { addAuthenticator, authenticatorWith } from '../src/testing/authenticator.ts';
import type { Client } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import { buttonOf, routeNext, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const focusedId = (page: Page) => page.evaluate(() => document.activeElement?.id);

async function equip() {
  const { email, browser } = await register(site.server);
  return { email, browser, app: await addAuthenticator(site.server, browser) };
}

/** A new browser that has typed the right password. */
async function begin(email: string): Promise<Page> {
  const page = await site.visit('/');
  await signIn(page, email);
  await page.waitForURL('**/second-step/');
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  return page;
}

const signedInAt = (browser: Client) => site.visit('/account/security/', { session: browser });

describe('the second step', () => {
  test('takes the code as soon as it is typed, and survives a reload and a wrong code', async () => {
    const { email, app } = await equip();
    const page = await begin(email);
    await expect.poll(() => focusedId(page)).toBe('code');
    const wrong = String((Number(app.nextCode()) + 1) % 1_000_000).padStart(6, '0');
    await page.keyboard.type(wrong);
    await page.getByText('You have 4 attempts left.').first().waitFor();
    // Many people press Enter after the last digit: the same code is not sent again.
    await page.keyboard.press('Enter');
    await page.evaluate(() => fetch('/healthz'));
    await page.reload();
    await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
    await expect.poll(() => focusedId(page)).toBe('code');
    await page.keyboard.type(wrong);
    await page.getByText('You have 3 attempts left.').first().waitFor();
    // The choice precedes the field, whose last digit submits the form.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Space');
    await expect.poll(() => page.getByLabel('Don’t ask again on this device for 30 days').isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type(app.code());
    await page.waitForURL('**/computers/add/');
    await buttonOf(page, 'Sign out').click();
    await page.getByText('You’re signed out.').waitFor();
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await buttonOf(page, 'Login').click();
    await page.waitForURL('**/computers/add/');
  });

  test('is set up with the key as text, and its recovery codes are shown once', async () => {
    const { browser } = await register(site.server);
    const page = await signedInAt(browser);
    await buttonOf(page, 'Set up').click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    const app = authenticatorWith(site.server, secret);
    await page.getByLabel('Code from the app').fill(app.code());
    await page.getByText('Save these codes now').waitFor();
    await expect.poll(() => page.locator('ol[translate=no] > li').count()).toBe(10);
    await buttonOf(page, 'I’ve saved the codes').click();
    await page.getByText('The authenticator app is now required').waitFor();
    await page.getByText('10 codes left').waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY');
    // The form to delete the account has no password field now: neither a double click nor a held Enter may send it.
    await page.goto(`${site.origin}/account/privacy/`);
    await buttonOf(page, 'Delete account').click();
    await expect.poll(() => page.locator('form button').first().textContent()).toBe('Cancel');
    await page.getByLabel('Current password').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
  });

  test('takes a recovery code instead; Back returns to the code', { tags: 'full' }, async () => {
    const { email, app } = await equip();
    const page = await begin(email);
    await buttonOf(page, 'Use a recovery code').click();
    await expect.poll(() => focusedId(page)).toBe('recovery_code');
    await page.goBack();
    await page.getByLabel('Code from the app').waitFor();
    await buttonOf(page, 'Use a recovery code').click();
    await page.getByLabel('Recovery code').fill(app.recoveryCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/computers/add/');
  });

  test('expires: the sign-in form still has the email', { tags: 'full' }, async () => {
    const { email } = await equip();
    const page = await begin(email);
    await page.getByLabel('Code from the app').waitFor();
    site.server.forward(minutes(11));
    await page.getByLabel('Code from the app').fill('123456');
    await page.getByRole('heading', { name: 'Please start again' }).waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
  });

  test('keeps new recovery codes while their owner visits another page, and warns before they are lost', {
    tags: 'full',
  }, async () => {
    const { browser } = await register(site.server);
    const page = await signedInAt(browser);
    await buttonOf(page, 'Set up').click();
    const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Code from the app').fill(authenticatorWith(site.server, secret).code());
    const codes = page.locator('ol[translate=no]');
    await codes.waitFor();
    const shown = await codes.innerText();
    await page.getByRole('link', { name: 'Privacy', exact: true }).click();
    await page.getByRole('heading', { name: 'Privacy', exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => codes.innerText()).toBe(shown);
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.dismiss();
    await expect.poll(() => codes.innerText()).toBe(shown);
    await buttonOf(page, 'I’ve saved the codes').click();
    await codes.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByText('10 codes left').waitFor();
    await buttonOf(page, 'Sign out').click();
    await page.getByText('You’re signed out.').waitFor();
  });
});

describe('a sensitive request', () => {
  test('waits for the dialog, keeps the typed text when it is canceled, and is repeated after the proof', async () => {
    const { browser, app } = await equip();
    site.server.forward(minutes(16));
    const page = await signedInAt(browser);
    await page.getByText('10 codes left').waitFor();
    await buttonOf(page, 'Change email').click();
    await page.getByLabel('New email').fill('anna@new.example');
    await expect.poll(() => page.getByLabel('Current password').count()).toBe(0);
    await buttonOf(page, 'Change email').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await dialog.waitFor();
    await expect.poll(() => focusedId(page)).toBe('step_up_code');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('New email').inputValue()).toBe('anna@new.example');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Change email');
    await page.keyboard.press('Enter');
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type(app.nextCode());
    await page.getByText('We’ve sent a link to the new address.').waitFor();
  });

  describe('whose dialog', { tags: 'full' }, () => {
    /** Types another email address and sends it, which opens the dialog. The page has an adjustable clock. */
    async function openDialog(browser: Client): Promise<Page> {
      site.server.forward(minutes(16));
      const page = await site.visit('/account/security/', {
        session: browser,
        async prepare(fresh) {
          await fresh.clock.install();
        },
      });
      await page.getByText('10 codes left').waitFor();
      await buttonOf(page, 'Change email').click();
      await page.getByLabel('New email').fill('anna@later.example');
      await buttonOf(page, 'Change email').click();
      await page.getByRole('dialog').locator('input:focus').waitFor();
      return page;
    }
    const overdue = (page: Page) => page.getByText('The server hasn’t responded yet.');

    test('waits in vain for a response says so and offers a retry, while the form behind it stays quiet', async () => {
      const { browser, app } = await equip();
      const page = await openDialog(browser);
      await page.clock.runFor(seconds(60));
      await expect.poll(() => overdue(page).count()).toBe(0);
      await routeNext(page, '**/auth/step-up', () => Promise.resolve());
      await page.keyboard.type(app.nextCode());
      await page.getByRole('dialog').locator('[aria-busy=true]').waitFor();
      await page.clock.runFor(seconds(11));
      await page.getByRole('dialog').getByText('The server hasn’t responded yet.').waitFor();
      await expect.poll(() => overdue(page).count()).toBe(1);
      await routeNext(page, '**/account/email', () => Promise.resolve());
      await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      // Now the time of the repeated request counts.
      await expect.poll(() => overdue(page).count()).toBe(0);
      await page.clock.runFor(seconds(11));
      await overdue(page).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('We’ve sent a link to the new address.').waitFor();
    });
  });

  test('whose dialog does not load keeps the typed text and reports the lost connection', {
    tags: 'full',
  }, async () => {
    const { browser } = await equip();
    site.server.forward(minutes(16));
    const page = await signedInAt(browser);
    await page.getByText('10 codes left').waitFor();
    page.removeAllListeners('console');
    await buttonOf(page, 'Change email').click();
    await page.getByLabel('New email').fill('anna@later.example');
    await page.route(/step-up-dialog|step-up-by/, (route) => route.abort());
    await page.route('**/builds/latest.json', (route) => route.abort());
    await buttonOf(page, 'Change email').click();
    await page.getByText('The server can’t be reached.').first().waitFor();
    await expect.poll(() => page.getByLabel('New email').inputValue()).toBe('anna@later.example');
  });
});

const banner = (page: Page) => page.getByText('Someone asked to remove the second step');

/** A person with an authenticator, and a browser without it that has requested the removal. */
async function requestRemoval() {
  const { email, browser, app } = await equip();
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
  test('is announced at every sign-in and in the account, until the link in the email keeps it', {
    tags: 'full',
  }, async () => {
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
