import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hours } from '../src/contract/units.ts';
import { addAuthenticator } from '../src/testing/authenticator.ts';
import { proveAddress, register } from '../src/testing/people.ts';
import { secretsIn } from '../src/testing/secrets-in-mail.ts';
import { openSinglePageApp } from './single-page-app.ts';
import { buttonOf, fillInRegistration, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';
import { addVirtualAuthenticator, type VirtualAuthenticator } from './virtual-authenticator.ts';

const site = await openTestSite({
  ...{ PHONE_CONFIRMATION: 'required', PHONE_CONFIRMATION_BY_MAIL: 'on', MAIL_CODE_SIGN_IN: 'on' },
});

/** Agrees, as each sign-in to a native app requires, and arrives there. */
async function arrive(page: Page, name = 'Anna Berg'): Promise<void> {
  await buttonOf(page, 'Allow').click();
  await page.getByText(`Hello ${name}`).waitFor();
}

/** Opens an application in a new browser, which leads to our sign-in page. */
async function openApp(at = site): Promise<{ page: Page; origin: string }> {
  const origin = await openSinglePageApp(at, { client_name: 'Notes' });
  const page = await at.visit('/');
  await page.goto(`${origin}/`);
  await page.getByText('Sign in to continue to Notes').waitFor();
  // It replaces the general request.
  await expect.poll(() => page.getByText('Please sign in to continue.').count()).toBe(0);
  return { page, origin };
}

const lenient = await openTestSite();
const newPassword = 'stones in the river';

const emailOf = (page: Page) => page.getByLabel('Email', { exact: true });

/** An account whose owner has proven the address; otherwise the first email would clear its name. */
async function registerProven() {
  const person = await register(lenient.server);
  await proveAddress(lenient.server, person);
  return person;
}

describe('a person whom an application sent here', () => {
  test('registers, confirms the phone, and is back in the application', async () => {
    const { page, origin } = await openApp();
    await page.getByRole('link', { name: 'Create a free account' }).click();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    // A reload changes nothing.
    await page.reload();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    const phone = '+1 202 555 0177';
    await fillInRegistration(page, { email: 'grace@example.com', phone });
    await buttonOf(page, 'Call me').click();
    await page.getByText(`Calling ${phone}…`).waitFor();
    const [call] = (await site.server.calls()).filter(({ to }) => to === phone.replaceAll(' ', ''));
    await page.getByLabel('Last 4 digits of the calling number').fill(call?.from.slice(-4) ?? '');
    await page.getByText('Phone successfully confirmed').waitFor();
    await page.getByRole('button', { name: 'Create account' }).click();
    await arrive(page, 'Grace Hopper');
    await expect.poll(() => page.url()).toContain(`${origin}/callback`);
  });

  test('sets a new password with an emailed link, signs in, and is back in the application', {
    tags: 'full',
  }, async () => {
    const { email } = await registerProven();
    const { page, origin } = await openApp(lenient);
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    await emailOf(page).fill(email);
    await buttonOf(page, 'Send instructions').click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const { text } = await lenient.server.mailTo(email, /Set a new password/);
    // The email program opens another tab.
    const tab = await page.context().newPage();
    await tab.goto(/http\S+hash=\S+/.exec(text)?.[0] ?? '');
    await tab.getByText('You’ll then continue to Notes.').waitFor();
    await tab.getByLabel('Enter new password', { exact: true }).fill(newPassword);
    await tab.getByLabel('Verify your password', { exact: true }).fill(newPassword);
    await buttonOf(tab, 'Save new password').click();
    await tab.getByRole('link', { name: 'Sign in' }).click();
    await tab.getByText('Sign in to continue to Notes').waitFor();
    await tab.getByLabel('Password', { exact: true }).fill(newPassword);
    await buttonOf(tab, 'Login').click();
    await arrive(tab);
    expect(tab.url()).toContain(`${origin}/callback`);
  });

  test('signs in with an emailed code, and is back in the application', { tags: 'full' }, async () => {
    const { email } = await registerProven();
    const { page } = await openApp(lenient);
    await emailOf(page).fill(email);
    await buttonOf(page, 'Send me a code instead').click();
    await page.getByText('You’ll then continue to Notes.').waitFor();
    await page.getByLabel('Code from the email').fill(await secretsIn(lenient.server, email).signInCode());
    await arrive(page);
  });

  test('completes the second step, and is back in the application', { tags: 'full' }, async () => {
    const { email, browser } = await register(lenient.server);
    const authenticator = await addAuthenticator(lenient.server, browser);
    const { page } = await openApp(lenient);
    await signIn(page, email);
    await page.getByText('You’ll then continue to Notes.').waitFor();
    await page.getByLabel('Code from the app').fill(authenticator.nextCode());
    await arrive(page);
  });

  test('signs in with a passkey, and is back in the application', { tags: 'full' }, async () => {
    const { browser } = await register(lenient.server);
    let device: VirtualAuthenticator | undefined;
    const page = await lenient.visit('/account/security/', {
      session: browser,
      async prepare(fresh) {
        device = await addVirtualAuthenticator(fresh);
      },
    });
    await buttonOf(page, 'Add a passkey').click();
    await page.getByText('The passkey was added.').waitFor();
    await device?.touch(false);
    await buttonOf(page, 'Sign out').click();
    await page.getByText('You’re signed out.').waitFor();
    await page.goto(await openSinglePageApp(lenient, { client_name: 'Notes' }));
    await page.getByText('Sign in to continue to Notes').waitFor();
    // Ends the suggestions of the email field, which would sign in before the click.
    await page.getByLabel('This is a shared computer').check();
    await device?.touch(true);
    await buttonOf(page, 'Sign in with a passkey').click();
    await arrive(page);
  });

  test('reads our pages in the language of the application', { tags: 'full' }, async () => {
    const origin = await openSinglePageApp(lenient, { client_name: 'Notes' });
    const page = await lenient.visit('/');
    await page.goto(`${origin}/?language=fr-CA`);
    await page.getByText('Connectez-vous pour continuer vers Notes').waitFor();
    await page.getByRole('link', { name: 'Créer un compte' }).click();
    await page.getByText('Vous accéderez ensuite à Notes.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/fr/register/');
  });

  test('who waited too long signs in to the account, and learns why the application does not open', {
    tags: 'full',
  }, async () => {
    const { email } = await register(lenient.server);
    const { page } = await openApp(lenient);
    lenient.server.forward(hours(2));
    await signIn(page, email);
    await page.getByRole('heading', { name: 'The app couldn’t sign you in' }).waitFor();
    await page.getByText('Please go back to the app and try again.').waitFor();
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await page.waitForURL('**/computers/add/');
  });

  test.each([
    [
      'markup and 300 characters',
      '<img src=x onerror="document.body.id=\'stolen\'"></bdi><h1>Vestibule</h1>'.padEnd(300, 'm'),
    ],
    ['direction overrides', '\u202Eelubitsev\u2066 \u202D\u200F'],
  ])('sees a name with %s as a plain name, on every page', { tags: 'full' }, async (_what, name) => {
    const origin = await openSinglePageApp(lenient, { client_name: 'Notes' });
    await lenient.server.store.updateTable('clients').set({ name }).where('name', '=', 'Notes').execute();
    const { email } = await register(lenient.server);
    const page = await lenient.visit('/', { viewport: { width: 320, height: 800 } });
    const isPlain = async () => {
      await page.locator('bdi').getByText(name, { exact: true }).first().waitFor();
      // Nothing from the name is an element, and it fits the narrowest screen.
      expect(
        await page.evaluate(() => [
          document.body.id,
          document.querySelectorAll('h1, img[src=x]').length,
          document.documentElement.scrollWidth > document.documentElement.clientWidth,
        ]),
      ).toEqual(['', 1, false]);
    };
    await page.goto(origin);
    await isPlain();
    for (const path of ['/register/', '/recovery/']) {
      await page.goto(lenient.origin + path);
      await isPlain();
    }
    await page.goto(`${lenient.origin}/`);
    await signIn(page, email);
    await buttonOf(page, 'Allow').waitFor();
    await isPlain();
    await arrive(page);
    await page.goto(`${lenient.origin}/account/privacy/`);
    await isPlain();
  });
});
