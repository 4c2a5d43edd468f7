import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minutes, seconds } from '../src/contract/units.ts';
import { copyProject } from '../src/testing/folders.ts';
import { freePort } from '../src/testing/free-port.ts';
import { openBrowser } from './test-site.ts';

const project = copyProject();
const port = await freePort();
const origin = `http://localhost:${port}`;
const browser = await openBrowser();
let development: ChildProcess;
let page: Page;
const complaints: string[] = [];

/** Starts the server as `npm run dev` does in a new folder. */
function start(): Promise<void> {
  const { PATH, SystemRoot } = process.env;
  development = spawn(process.execPath, [project.path('bin', 'dev', 'dev.ts')], {
    env: { PATH, SystemRoot, PORT: String(port), DATA_DIR: project.path('data') },
  });
  return new Promise((resolve, reject) => {
    let printed = '';
    const read = (text: Buffer) => {
      printed += text;
      if (printed.includes(`is ready: ${origin}/`)) resolve();
    };
    development.stdout?.on('data', read);
    development.stderr?.on('data', read);
    development.once('exit', (code) => reject(new Error(`ended with ${code}:\n${printed}`)));
  });
}

/** A page that uses route options that our own pages do not need; the link to the sign-in page leads there. */
function addTestPage(): void {
  const page = `{
    name: 'attic',
    path: '/attic/',
    screen: () => import('../journeys/register/register.screen.tsx'),
    head: 'register',
    validate: ({ url }) => /^\\d+$/.test(url.searchParams.get('shelf') ?? ''),
    keepScroll: true,
    index: false,
  },
  {
    name: 'error',`;
  edit('src/site/pages.ts', "{\n    name: 'error',", page);
  edit('src/journeys/register/register.screen.tsx', '<Link to="/" text', '<Link to="/attic/?shelf=17" text');
}

beforeAll(async () => {
  addTestPage();
  await start();
  const context = await browser.newContext({ locale: 'en-US' });
  context.setDefaultTimeout(minutes(2));
  page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${origin}/`);
  await page.locator('html[data-alive]').waitFor();
});

afterAll(async () => {
  const ended = new Promise((resolve) => development.once('exit', resolve));
  development.kill();
  await ended;
  await browser.close();
  project.remove();
});

/** Replaces text in a file of the copy. */
function edit(path: string, from: string, to: string): void {
  const file = project.path(...path.split('/'));
  const content = readFileSync(file, 'utf8');
  if (!content.includes(from)) throw new Error(`${path} has no ${from}`);
  writeFileSync(file, content.replace(from, to));
}

const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
const email = () => page.locator('[name=email]');

describe('npm run dev', () => {
  test('renders the page with its styles before its code loads', async () => {
    const bare = await browser.newPage({ javaScriptEnabled: false });
    const response = await bare.goto(`${origin}/de/`);
    await expect.poll(() => bare.locator('html').getAttribute('lang')).toBe('de');
    await expect.poll(() => bare.locator('h1').evaluate((title) => getComputedStyle(title).fontWeight)).toBe('600');
    expect(response?.headers()['content-security-policy']).toMatch(/script-src 'self';style-src 'self' 'nonce-[^']+';/);
    await bare.close();
  });

  test('an edited screen replaces the one in the open page, which keeps typed text', async () => {
    await heading('Welcome Back');
    await email().fill('ada@example.com');
    edit('src/journeys/sign-in/sign-in.screen.tsx', '"sign_in.title"', '"register.page"');
    await heading('Create a free account');
    await expect.poll(() => email().inputValue()).toBe('ada@example.com');
    edit('src/journeys/sign-in/sign-in.screen.tsx', '"register.page"', '"sign_in.title"');
    await heading('Welcome Back');
    await expect.poll(() => email().inputValue()).toBe('ada@example.com');
  });

  test('an edited style applies in the open page', async () => {
    edit('src/ui/base.css', '@layer base {', '@layer base { h1 { outline: 3px solid; }');
    const outline = () => page.locator('h1').evaluate((title) => getComputedStyle(title).outlineWidth);
    await expect.poll(outline).toBe('3px');
    await expect.poll(() => email().inputValue()).toBe('ada@example.com');
  });

  test('an edited text appears in the open page and in an email, and the server keeps running', async () => {
    const preview = async () => (await fetch(`${origin}/dev/inbox/preview/recovery/en/`)).text();
    // The build's timestamp is the server's start.
    const build = async () => (await fetch(`${origin}/builds/meta/development.json`)).text();
    const before = await build();
    expect(before).toMatch(/"timestamp":\d+/);
    await expect.poll(preview).toContain('You asked for a new password.');
    edit('src/messages/en.po', 'msgstr "Welcome Back"', 'msgstr "Welcome home"');
    await heading('Welcome home');
    edit('src/messages/en.po', 'msgstr "You asked for a new password.', 'msgstr "Somebody asked for a new password.');
    await expect.poll(preview).toContain('Somebody asked for a new password.');
    expect(await build()).toBe(before);
  });

  /** Repeated because the page may just be reloading for a new build: a reload interrupts a navigation, or holds it up. */
  const leave = () =>
    expect.poll(() => page.goto('about:blank', { timeout: seconds(15) }).catch(() => undefined)).not.toBe(undefined);

  test('a restarted server keeps its data, and shows a compile error until it is fixed', async () => {
    const keys = () => fetch(`${origin}/.well-known/jwks.json`);
    const readers = async () => (await keys()).headers.get('access-control-allow-origin');
    const route = 'src/http/service/service.ts';
    const before = await (await keys()).text();
    // An open page polls for a new build, and would fail while the server cannot start.
    await leave();
    edit(route, "origin', '*'", "origin', 'null'");
    await expect.poll(readers).toBe('null');
    expect(await (await keys()).text()).toBe(before);
    edit(route, 'export function jwksRoute', 'this is not TypeScript\nexport function jwksRoute');
    await expect.poll(async () => (await keys()).text()).toContain('service.ts');
    edit(route, 'this is not TypeScript\n', '');
    edit(route, "origin', 'null'", "origin', '*'");
    await expect.poll(readers).toBe('*');
  });

  test('shows the development inbox', async () => {
    await page.goto(`${origin}/dev/inbox/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  describe('a route', () => {
    const open = async (path: string) => {
      const tab = await page.context().newPage();
      const errors: string[] = [];
      tab.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      await tab.setViewportSize({ width: 1000, height: 400 });
      await tab.goto(origin + path);
      await tab.locator('html[data-alive]').waitFor();
      return { tab, errors };
    };

    test('that refuses an address shows the 404 page', async () => {
      const { tab, errors } = await open('/attic/?shelf=top');
      await tab.getByRole('heading', { name: 'Page Not Found' }).waitFor();
      await tab.getByText('/attic/').first().waitFor();
      await expect.poll(() => errors.join()).toContain('Page Not Found: /attic/');
      const { tab: allowed } = await open('/attic/?shelf=17');
      await allowed.getByRole('heading', { name: 'Create a free account' }).waitFor();
      await tab.close();
      await allowed.close();
    });

    test('that opts out of scrolling to the top keeps the position', async () => {
      const { tab } = await open('/register/');
      await tab.evaluate(() => scrollTo(0, 300));
      await tab.getByRole('link', { name: 'Sign in' }).evaluate((link: HTMLElement) => link.click());
      await tab.waitForURL('**/attic/?shelf=17');
      await expect.poll(() => tab.evaluate(() => document.activeElement?.tagName)).toBe('H1');
      await expect.poll(() => tab.evaluate(() => scrollY)).toBe(300);
      await tab.close();
    });
  });

  test('pages never violate the Content-Security-Policy or log errors', () => expect(complaints).toEqual([]));
});
