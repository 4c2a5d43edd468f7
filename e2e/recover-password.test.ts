import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();
const newPassword = 'stones in the river';

const linkIn = (text: string) => /http\S+hash=\S+/.exec(text)?.[0] ?? '';

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
    await expect.poll(() => other.getByText('Your account is ready').count()).toBe(0);
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
      await page.getByRole('button', { name: /Language/ }).click();
      await page.getByRole('link', { name: 'Deutsch' }).click();
      await page.waitForURL('**/de/recovery/');
      await page.getByText('back@example.com').first().waitFor();
      await page.goBack();
      await isSentTo(page, 'back@example.com');
      await page.goBack();
      await page.getByRole('heading', { name: 'Password Recovery' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    });
  });

  describe('a link is kept for its tab until it is used', () => {
    const open = async () => {
      const { email } = await register(site.server);
      await site.server.client().post('/auth/recovery', { email, locale: 'en' });
      const { text } = await site.server.mailTo(email, /Set a new password/);
      const page = await site.visit(linkIn(text).replace(site.origin, ''));
      await page.getByLabel('Enter new password', { exact: true }).waitFor();
      return { page, email };
    };

    test('through a reload, another language, and another page with typed text', async () => {
      const { page, email } = await open();
      await page.reload();
      await page.getByLabel('Enter new password', { exact: true }).waitFor();
      await page.getByRole('button', { name: /Language/ }).click();
      await page.getByRole('link', { name: 'Deutsch' }).click();
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
  });
});
