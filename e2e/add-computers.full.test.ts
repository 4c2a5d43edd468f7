import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();
const agent = join(import.meta.dirname, '..', 'dist', 'agent', 'vestibule-agent.mjs');
const data = mkdtempSync(join(tmpdir(), 'vestibule-agent-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

async function signIn(path: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
  const { email } = await register(site.server);
  const page = await site.visit('/', {
    permissions: ['clipboard-read', 'clipboard-write'],
    ...(prepare && { prepare }),
  });
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('[name="password"]').press('Enter');
  await page.waitForURL('**/computers/add/');
  if (path !== '/computers/add/') await page.goto(site.origin + path);
  return page;
}

const copyCommand = async (page: Page): Promise<string> => {
  await page.getByRole('button', { name: /^Copy Linux/ }).click();
  await page.getByRole('button', { name: /^Copied Linux/ }).waitFor();
  await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
};
const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName);
const codeIn = (command: string): string => /install (\S+) --server/.exec(command)?.[1] ?? '';
const addBy = (code: string, name: string) =>
  promisify(execFile)(process.execPath, [
    agent,
    'enrol',
    code,
    '--server',
    site.origin,
    '--name',
    name,
    '--data',
    join(data, code),
  ]);

test('without a clipboard, as without TLS, the page selects the command so that a key can copy it, until the code expires', async () => {
  const page = await signIn('/computers/add/', async (visited) => {
    await visited.clock.install();
    await visited.addInitScript(() =>
      Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined }),
    );
  });
  await page.getByRole('button', { name: /^Copy Linux/ }).click();
  await expect.poll(() => page.evaluate(() => String(getSelection()))).toContain('vestibule-agent.mjs install');
  await page.clock.fastForward(minutes(16));
  await page.getByText('This code has expired').waitFor();
  await expect.poll(() => page.locator('[inert]').getByText('vestibule-agent.mjs install').count()).toBe(1);
});

test('without an event stream the page polls', async () => {
  const page = await signIn('/computers/add/', (opened) =>
    opened.route('**/computers/events', (route) => route.fulfill({ status: 503, body: 'no' })),
  );
  await addBy(codeIn(await copyCommand(page)), 'Behind a proxy');
  await page.getByText('Behind a proxy has been added.').waitFor();
});

test('someone who signed in long ago enters the password again, and then gets a code', async () => {
  const page = await signIn('/computers/add/');
  await page.getByRole('button', { name: 'New code' }).waitFor();
  site.server.forward(minutes(16));
  await page.getByRole('button', { name: 'New code' }).click();
  await page.getByText('Enter your password again').waitFor();
  await page.locator('[name="password"]').fill('not it at all');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('Incorrect password').waitFor();
  // The field is empty and has the focus.
  await expect.poll(() => page.locator('[name="password"]:focus').inputValue()).toBe('');
  // A password typed while a wrong one is checked stays.
  const typed = Promise.withResolvers<void>();
  await page.route('**/computers/enrolments', async (route) => {
    await typed.promise;
    await route.continue();
  });
  await page.keyboard.type('not it either');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Please, wait...' }).waitFor();
  const response = page.waitForResponse('**/computers/enrolments');
  await page.locator('[name="password"]').fill(password);
  typed.resolve();
  await response;
  await page.getByRole('button', { name: 'Continue' }).waitFor();
  await expect.poll(() => page.locator('[name="password"]:focus').inputValue()).toBe(password);
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('H1');
  expect(codeIn(await copyCommand(page))).toMatch(/^[\dA-Z-]{14}$/);
});
