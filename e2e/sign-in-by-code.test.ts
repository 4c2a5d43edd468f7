import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { register } from '../src/testing/people.ts';
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
});
