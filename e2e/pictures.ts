// `npm run pictures`: writes the pictures of README and docs, from the built service and the sample data of its gallery.
// The clock, the data and the addresses are fixed, so a second run on the same machine changes no byte.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, type BrowserServer, chromium, type Page } from 'playwright-core';
import { minutes } from '../src/contract/units.ts';
import { freePort } from '../src/testing/free-port.ts';
import { startBrowser } from './browser.ts';

interface Picture {
  /** Its file is `docs/pictures/<name>.webp`. */
  readonly name: string;
  /** The address of a state in the gallery, such as `sign-in/empty`; or a path of the service. */
  readonly shows: string;
  readonly language?: string;
  readonly theme?: 'light' | 'dark';
  /** CSS pixels. */
  readonly size: readonly [width: number, height: number];
  /** CSS pixels above the picture. */
  readonly scrolled?: number;
}

const [wide, phone, email] = [
  [1280, 780],
  [390, 844],
  [680, 720],
] as const;

const pictures: readonly Picture[] = [
  { name: 'sign-in', shows: 'sign-in/empty', size: wide },
  { name: 'sign-in-dark', shows: 'sign-in/empty', theme: 'dark', size: wide },
  { name: 'sign-in-arabic', shows: 'sign-in/empty', language: 'ar', theme: 'dark', size: wide },
  { name: 'dashboard', shows: 'dashboard-devices/many-devices', size: [1280, 1120] },
  { name: 'dashboard-dark', shows: 'dashboard-devices/many-devices', theme: 'dark', size: [1280, 1120] },
  { name: 'device', shows: 'device/active', size: [1280, 860] },
  { name: 'security', shows: 'security/read', size: phone },
  { name: 'confirm-phone', shows: 'confirm-phone-waiting/after-a-reload', size: phone, scrolled: 560 },
  { name: 'add-computers', shows: 'add-computers/with-a-code', size: [1280, 860] },
  { name: 'consent', shows: 'connect/consent', size: phone },
  { name: 'console-person', shows: 'console-person/read', size: [1280, 1000] },
  { name: 'console-act', shows: 'console-person/act-lock', size: phone },
  { name: 'email', shows: '/dev/inbox/preview/new_device/en/', size: email },
  { name: 'email-dark', shows: '/dev/inbox/preview/new_device/en/', theme: 'dark', size: email },
];

/** When the sample data is new. */
const now = new Date('2026-11-21T12:00:30Z');
/** The origin in the pictures, whose requests go to the service, and the host that the service expects. */
const [origin, host] = ['https://account.example.com', 'localhost:3000'];
/** Bytes. */
const [largest, largestOfAll] = [120_000, 600_000];

const folder = join(import.meta.dirname, '..', 'docs', 'pictures');
const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-pictures-'));
const port = await freePort();
const service = spawn(process.execPath, [join(import.meta.dirname, '..', 'bin', 'serve.mjs')], {
  cwd: dataDir,
  stdio: ['ignore', 'ignore', 'inherit'],
  env: {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: String(port),
    PUBLIC_URL: `http://${host}`,
    LOG_LEVEL: 'error',
  },
});
let browserServer: BrowserServer | undefined;
try {
  browserServer = await startBrowser();
  await untilReady();
  const browser = await chromium.connect(browserServer.wsEndpoint());
  await requireStates(browser);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const picture of pictures) writeFileSync(join(folder, `${picture.name}.webp`), await take(browser, picture));
  requireSmall();
} finally {
  await browserServer?.close();
  if (service.exitCode === null && service.kill()) await once(service, 'exit');
  rmSync(dataDir, { recursive: true, force: true });
}

async function untilReady(): Promise<void> {
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) {
    if (service.exitCode !== null) throw new Error('the service does not start');
    await pause(100);
  }
}

/** The gallery shows its first state for an unknown address, so a renamed state would be the wrong picture. */
async function requireStates(browser: Browser): Promise<void> {
  const page = await openPage(browser, { viewport: { width: 1280, height: 800 } });
  await page.goto(`${origin}/dev/gallery/`);
  const links = page.locator('a[data-state]');
  await links.first().waitFor();
  const known = await links.evaluateAll((all) => all.map((link) => (link as HTMLElement).dataset.state));
  const unknown = pictures
    .map(({ shows }) => shows)
    .filter((shows) => !shows.startsWith('/') && !known.includes(shows));
  if (unknown.length > 0) throw new Error(`the gallery has no such states: ${unknown.join(', ')}`);
  await page.context().close();
}

/** A page of a new visitor with the fixed clock, whose requests to `origin` go to the service. */
async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const settings = { reducedMotion: 'reduce', locale: 'en-US', timezoneId: 'Europe/Berlin' } as const;
  const context = await browser.newContext({ ...settings, ...options });
  const page = await context.newPage();
  await page.clock.setFixedTime(now);
  await page.route(`${origin}/**`, async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const url = `http://127.0.0.1:${port}${pathname}${search}`;
    await route.fulfill({ response: await route.fetch({ url, headers: { host } }) });
  });
  return page;
}

async function take(browser: Browser, picture: Picture): Promise<Buffer> {
  const { shows, language = 'en', theme = 'light', size, scrolled = 0 } = picture;
  const [width, height] = size;
  const deviceScaleFactor = size === phone ? 2 : 1.5;
  const page = await openPage(browser, { viewport: { width, height }, deviceScaleFactor, colorScheme: theme });
  const state = new URLSearchParams({ state: shows, language, theme });
  await page.goto(shows.startsWith('/') ? origin + shows : `${origin}/dev/gallery/stage/?${state}`);
  if (!shows.startsWith('/')) await untilStaged(page);
  await page.evaluate((top) => scrollTo({ top, behavior: 'instant' }), scrolled);
  // Playwright itself writes no WebP.
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  await page.context().close();
  return Buffer.from(data, 'base64');
}

async function untilStaged(page: Page): Promise<void> {
  await page.locator('html[data-staged]').waitFor({ state: 'attached', timeout: minutes(2) });
  const problem = await page.evaluate(() => document.documentElement.dataset.problem);
  if (problem !== undefined) throw new Error(`${page.url()}: ${problem}`);
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

/** Readers load all pictures of a document together. */
function requireSmall(): void {
  const sizes = readdirSync(folder).map((name) => ({ name, bytes: statSync(join(folder, name)).size }));
  for (const { name, bytes } of sizes) process.stdout.write(`${String(bytes).padStart(7)}  ${name}\n`);
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const tooLarge = sizes.filter(({ bytes }) => bytes > largest).map(({ name }) => name);
  if (tooLarge.length > 0 || total > largestOfAll)
    throw new Error(`too large: ${tooLarge.join(', ') || `${total} bytes in all`}`);
}
