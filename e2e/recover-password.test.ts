import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hours, seconds } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
import { chooseLanguage, routeNext, signIn } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();
const newPassword = 'stones in the river';

const linkIn = (text: string) => /http\S+hash=\S+/.exec(text)?.[0] ?? '';

/** A new account that has requested a link. */
async function requestLink() {
  const { email } = await register(site.server);
  await site.server.client().post('/auth/recovery', { email, locale: 'en' });
  return { email, link: linkIn((await site.server.mailTo(email, /Set a new password/)).text) };
}

describe('recovering a password', () => {
  test('the emailed link sets a new password, disables the old one and ends other sessions', async () => {
    const { email, browser } = await register(site.server);
    const page = await site.visit('/');
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await page.getByRole('button', { name: 'Send instructions' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.getByText(email).first().waitFor();

    const mail = await site.server.mailTo(email, /Set a new password/);
    const other = await site.visit(linkIn(mail.text).replace(site.origin, ''));
    await other.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await expect.poll(() => other.url()).toBe(`${site.origin}/reset-password/`);
    await other.getByLabel('Enter new password', { exact: true }).fill(newPassword);
    await other.getByRole('button', { name: 'Save new password' }).click();
    await other.getByRole('link', { name: 'Verify your password: Field cannot be empty' }).click();
    await other.keyboard.type(newPassword);
    await other.getByRole('button', { name: 'Save new password' }).click();
    await other.getByRole('heading', { name: 'Your new password is set' }).waitFor();
    await other.getByRole('link', { name: 'Sign in' }).click();

    await other.getByLabel('Password', { exact: true }).fill(password);
    await other.getByRole('button', { name: 'Login' }).click();
    await other.getByText('Incorrect login or password').first().waitFor();
    await expect.poll(() => other.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await other.getByLabel('Password', { exact: true }).fill(newPassword);
    await other.getByRole('button', { name: 'Login' }).click();
    await other.waitForURL('**/computers/add/');
    // The reset cleared the name, since no one had confirmed the address.
    await other.getByText('Your code: ').waitFor();
    const { store } = site.server;
    const account = store.selectFrom('accounts').select('name').where('email', '=', email);
    expect(await account.executeTakeFirst()).toEqual({ name: '' });
    expect((await browser.post('/auth/refresh')).body.reason).toBe('password_changed');
    await site.server.mailTo(email, /was changed/);
  });

  describe('“Check your email” is a separate step', () => {
    const email = (page: Page) => page.getByLabel('Email', { exact: true });
    const ask = async (page: Page, address: string) => {
      await email(page).fill(address);
      await page.getByRole('button', { name: 'Send instructions' }).click();
      await isSentTo(page, address);
    };
    const isSentTo = async (page: Page, address: string) => {
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
      await page.getByText(address).first().waitFor();
    };

    test('Back returns to the form, Forward to the step, and a reload and another language keep it', async () => {
      const page = await site.visit('/');
      await page.getByRole('link', { name: 'Forgot password' }).click();
      await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
      await ask(page, 'back@example.com');
      await page.goBack();
      await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
      await expect.poll(() => email(page).inputValue()).toBe('back@example.com');
      await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Password Recovery');
      await page.goForward();
      await isSentTo(page, 'back@example.com');
      await page.reload();
      await isSentTo(page, 'back@example.com');
      await chooseLanguage(page, 'Deutsch');
      await page.waitForURL('**/de/recovery/');
      await page.getByText('back@example.com').first().waitFor();
      await page.goBack();
      await isSentTo(page, 'back@example.com');
      await page.goBack();
      await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    });

    test('another address, typed on either screen, gets its own email', { tags: 'full' }, async () => {
      const [{ email: first }, { email: second }] = [await register(site.server), await register(site.server)];
      const page = await site.visit('/recovery/');
      await ask(page, first);
      await page.getByRole('link', { name: 'Back to sign-in' }).click();
      await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
      await expect.poll(() => email(page).inputValue()).toBe(first);
      await email(page).fill(second);
      await page.getByRole('link', { name: 'Forgot password' }).click();
      await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
      await expect.poll(() => email(page).inputValue()).toBe(second);
      await page.getByRole('button', { name: 'Send instructions' }).click();
      await isSentTo(page, second);
      await site.server.mailTo(second, /Set a new password/);
    });

    test('“Use another address” returns to the address and discards the step', { tags: 'full' }, async () => {
      const page = await site.visit('/recovery/');
      await ask(page, 'wrong@example.com');
      await page.getByRole('button', { name: 'Use another address' }).click();
      await expect.poll(() => email(page).evaluate((field) => field === document.activeElement)).toBe(true);
      await expect.poll(() => email(page).inputValue()).toBe('wrong@example.com');
      await page.reload();
      await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
    });

    test('setting the clock back by a day ends the countdown', { tags: 'full' }, async () => {
      const page = await site.visit('/');
      await page.clock.install();
      await page.goto(`${site.origin}/recovery/`);
      await page.locator('html[data-alive]').waitFor();
      await ask(page, 'clock@example.com');
      await page.getByText('You can send it again in').waitFor();
      await page.clock.setSystemTime(Date.now() - hours(24));
      await page.clock.runFor(seconds(2));
      await page.getByRole('button', { name: 'Send again' }).waitFor();
    });
  });

  describe('a link is kept for its tab until it is used', () => {
    const open = async () => {
      const { email, link } = await requestLink();
      const page = await site.visit(link.replace(site.origin, ''));
      await page.getByLabel('Enter new password', { exact: true }).waitFor();
      return { page, email };
    };

    test('through a reload, another language, and another page with typed text', async () => {
      const { page, email } = await open();
      await page.reload();
      await page.getByLabel('Enter new password', { exact: true }).waitFor();
      await chooseLanguage(page, 'Deutsch');
      await page.waitForURL('**/de/reset-password/');
      await page.reload();
      await page.goto(`${site.origin}/`);
      await page
        .getByLabel(/E-.?[Mm]ail/)
        .first()
        .fill('somebody.else@example.com');
      await page.goBack();
      await page.getByText(email).waitFor();
      await page.locator('[name=password]').fill(newPassword);
      await page.locator('[name=password_repeat]').fill(newPassword);
      await page.locator('[type=submit]').click();
      await page.getByRole('heading', { name: 'Ihr neues Passwort ist gespeichert' }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Ihr neues Passwort ist gespeichert' }).waitFor();
      await expect.poll(() => page.evaluate(() => sessionStorage.getItem('link'))).toBeNull();
    });

    test('but not for another tab', { tags: 'full' }, async () => {
      const { page } = await open();
      const other = await page.context().newPage();
      await other.goto(`${site.origin}/reset-password/`);
      await other.getByText('Your reset link is no longer valid.').waitFor();
    });
  });

  test('a link still works after a part of its page failed to load', { tags: 'full' }, async () => {
    const { link } = await requestLink();
    const page = await site.visit('/');
    page.removeAllListeners('console');
    await routeNext(page, '**/assets/reset-password.screen*', (route) => route.abort());
    await page.goto(link);
    await page.getByLabel('Enter new password', { exact: true }).waitFor();
    await expect.poll(() => page.url()).toBe(`${site.origin}/reset-password/`);

    // The link also survives a full reload that another language needs.
    await page.evaluate(() => sessionStorage.removeItem('reloaded_at'));
    await page.route('**/de/reset-password/_payload.json', (route) => route.abort());
    await page.getByRole('button', { name: /Language/ }).click();
    const loaded = page.waitForEvent('load');
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await loaded;
    await expect.poll(() => page.url()).toBe(`${site.origin}/de/reset-password/`);
    await page.locator('[name=password]').fill(newPassword);
    await page.locator('[name=password_repeat]').fill(newPassword);
    await page.locator('[type=submit]').click();
    await page.getByRole('heading', { name: 'Ihr neues Passwort ist gespeichert' }).waitFor();
  });

  test('a sign-in stores the time zone of the browser, for the times in emails', { tags: 'full' }, async () => {
    const { email, browser } = await register(site.server);
    const page = await site.visit('/', { timezoneId: 'Asia/Tokyo' });
    await signIn(page, email);
    await page.waitForURL('**/computers/add/');
    expect((await browser.get('/account')).body).toMatchObject({ time_zone: 'Asia/Tokyo' });
  });
});
