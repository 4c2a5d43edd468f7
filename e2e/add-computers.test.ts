import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import { password, register } from '../src/testing/people.ts';
import { holdNext } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();
const agent = join(import.meta.dirname, '..', 'dist', 'agent', 'vestibule-agent.mjs');
const data = mkdtempSync(join(tmpdir(), 'vestibule-agent-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

/** Signs in to a new account, which leads to this page. */
async function signIn(visitor: Parameters<typeof site.visit>[1] = {}): Promise<Page> {
  const { email } = await register(site.server);
  const page = await site.visit('/', { permissions: ['clipboard-read', 'clipboard-write'], ...visitor });
  await page.locator('[name="email"]').fill(email);
  await page.locator('[name="password"]').fill(password);
  await page.locator('[name="password"]').press('Enter');
  await page.waitForURL('**/computers/add/');
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
const addBy = (code: string, name: string) => {
  const options = ['--server', site.origin, '--name', name, '--data', join(data, code)];
  return promisify(execFile)(process.execPath, [agent, 'enrol', code, ...options]);
};

test('the copied command adds a computer, the page reports it without a reload, and then adds another', async () => {
  const page = await signIn();
  const command = await copyCommand(page);
  expect(command).toContain(`${site.origin}/computers/agent.mjs`);
  await page.getByText(/expires in 1[45]:\d\d/).waitFor();
  await page.getByRole('radio', { name: 'Smartphone or tablet' }).check();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await page.getByRole('radio', { name: 'Linux' }).check();
  await addBy(codeIn(command), 'Front desk');
  await page.getByText('Front desk has been added.').waitFor();
  await expect.poll(() => focused(page)).toBe('H1');
  await page.getByRole('button', { name: 'Add another' }).click();
  const next = await copyCommand(page);
  expect(codeIn(next)).not.toBe(codeIn(command));
  await addBy(codeIn(next), 'Second');
  await page.getByText('Second has been added.').waitFor();
  await expect.poll(() => page.getByText('Front desk has been added.').count()).toBe(0);
});

test('a smartphone adds itself, reports while its page is visible, controls no page, and is removed', async () => {
  const page = await signIn({
    userAgent: 'Mozilla/5.0 (Linux; Android 16; K) AppleWebKit/537.36 Chrome/153.0.0.0 Mobile Safari/537.36',
  });
  await page.getByRole('button', { name: 'Add this smartphone' }).click();
  await page.getByText('Android has been added.').waitFor();
  await page.reload();
  await page.getByText('This smartphone reports to your account.').waitFor();
  const records = () => site.server.store.selectFrom('records').select(['kind', 'text']).execute();
  await expect.poll(records).toMatchObject([{ kind: 'start', text: expect.stringContaining('The page was opened.') }]);
  const worker = await page.evaluate(async () => ({
    scopes: (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => new URL(scope).pathname),
    isControlled: navigator.serviceWorker.controller !== null,
  }));
  expect(worker).toEqual({ scopes: ['/phone-worker/'], isControlled: false });
  await page.getByRole('button', { name: 'Stop and remove it' }).click();
  await page.getByRole('button', { name: 'Add this smartphone' }).waitFor();
  expect(
    await site.server.store.selectFrom('computers').select('id').where('kind', '=', 'smartphone').execute(),
  ).toEqual([]);
});

test('without a clipboard, as without TLS, the page selects the command so that a key can copy it, until the code expires', {
  tags: 'full',
}, async () => {
  const page = await signIn({
    async prepare(visited) {
      await visited.clock.install();
      await visited.addInitScript(() =>
        Object.defineProperty(Navigator.prototype, 'clipboard', { get: () => undefined }),
      );
    },
  });
  await page.getByRole('button', { name: /^Copy Linux/ }).click();
  await expect.poll(() => page.evaluate(() => String(getSelection()))).toContain('vestibule-agent.mjs install');
  await page.clock.fastForward(minutes(16));
  await page.getByText('This code has expired').waitFor();
  await expect.poll(() => page.locator('[inert]').getByText('vestibule-agent.mjs install').count()).toBe(1);
});

test('someone who signed in long ago enters the password again, and then gets a code', { tags: 'full' }, async () => {
  const page = await signIn();
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
  const release = await holdNext(page, '**/computers/enrolments');
  await page.keyboard.type('not it either');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Please, wait...' }).waitFor();
  const response = page.waitForResponse('**/computers/enrolments');
  await page.locator('[name="password"]').fill(password);
  release();
  await response;
  await page.getByRole('button', { name: 'Continue' }).waitFor();
  await expect.poll(() => page.locator('[name="password"]:focus').inputValue()).toBe(password);
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('H1');
  expect(codeIn(await copyCommand(page))).toMatch(/^[\dA-Z-]{14}$/);
});
