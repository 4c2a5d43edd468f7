import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addAuthenticator } from '../src/testing/authenticator.ts';
import { secretsIn } from '../src/testing/outbox.ts';
import { password, proveAddress, register } from '../src/testing/people.ts';
import { chooseLanguage } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

const stored = (page: Page) => page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]));

describe('signing in with an emailed code', () => {
  test('needs the address, but not the password', async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    await page.getByLabel('This is a shared computer').check();
    await page.getByRole('button', { name: 'Send me a code instead' }).click();
    await page.getByText('E-mail Field cannot be empty').first().waitFor();
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Send me a code instead' }).click();
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const { text, subject } = await site.server.mailTo(email, /sign-in code/);
    const [code = ''] = /^\d{6}$/m.exec(text) ?? [];
    expect(subject).toContain(code);
    expect(text).not.toMatch(/https?:\/\/\S*hash=/);
    const sizeOf = (element: HTMLElement) => getComputedStyle(element).fontSize;
    await expect.poll(() => page.getByLabel('Code from the email').evaluate(sizeOf)).toBe('24px');

    const focused = () => page.evaluate(() => document.activeElement?.id);
    await expect.poll(focused).toBe('code');
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    await page.keyboard.type(`${wrong.slice(0, 3)} ${wrong.slice(3)}`);
    await page.getByText('You have 2 attempts left.').first().waitFor();
    await expect.poll(focused).toBe('code');
    await expect.poll(() => page.title()).toBe('Error: Check your email – Vestibule');
    await page.reload();
    await expect.poll(() => page.title()).toBe('Check your email – Vestibule');
    await page.getByLabel('Code from the email').fill(code);
    await page.waitForURL('**/computers/add/');
    expect(await stored(page)).not.toContain(email);
  });

  test('leads back to the password and keeps the address', { tags: 'full' }, async () => {
    const { email } = await register(site.server);
    const page = await site.visit('/');
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Send me a code instead' }).click();
    await page.getByRole('button', { name: 'Use your password instead' }).click();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Welcome Back');
    await expect.poll(() => page.getByLabel('Email', { exact: true }).inputValue()).toBe(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Login' }).click();
    await page.waitForURL('**/computers/add/');
  });

  test('does not leave the address in the tab of a shared computer before the second step', {
    tags: 'full',
  }, async () => {
    const person = await register(site.server);
    const { email, browser } = person;
    // Otherwise the code would remove the second step, which a stranger might have set up.
    await proveAddress(site.server, person);
    await addAuthenticator(site.server, browser);
    const page = await site.visit('/');
    await page.getByLabel('This is a shared computer').check();
    await page.getByLabel('Email', { exact: true }).fill(email);
    await page.getByRole('button', { name: 'Send me a code instead' }).click();
    await page.getByLabel('Code from the email').fill(await secretsIn(site.server, email).signInCode());
    await page.waitForURL('**/second-step/');
    expect(await stored(page)).not.toContain(email);
  });

  test('is a step that belongs to its address: Back leaves it, and another address gets its own code', {
    tags: 'full',
  }, async () => {
    const [{ email: first }, { email: second }] = [await register(site.server), await register(site.server)];
    const page = await site.visit('/');
    const ask = async (email: string) => {
      await page.getByLabel('Email', { exact: true }).fill(email);
      await page.getByRole('button', { name: 'Send me a code instead' }).click();
      await page.getByRole('heading', { name: 'Check your email' }).waitFor();
      await page.getByText(email).first().waitFor();
    };
    await ask(first);
    await page.goBack();
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Welcome Back');
    await expect.poll(() => page.title()).toBe('Sign in – Vestibule');
    await page.goForward();
    await page.getByText(first).first().waitFor();
    await chooseLanguage(page, 'Deutsch');
    await page.waitForURL('**/de/');
    await page.getByText(first).first().waitFor();
    await page.context().clearCookies({ name: 'i18n_redirected' });
    await page.evaluate(() => localStorage.removeItem('locale'));
    await page.goto(`${site.origin}/`);
    await page.getByRole('heading', { name: 'Welcome Back' }).waitFor();
    await ask(second);
    await page.getByLabel('Code from the email').fill(await secretsIn(site.server, second).signInCode());
    await page.waitForURL('**/computers/add/');
  });
});
