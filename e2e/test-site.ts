import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, expect, inject } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import type { Client } from '../src/testing/client.ts';
import { freePort } from '../src/testing/free-port.ts';
import { openTestServer, type TestServer } from '../src/testing/test-server.ts';

/** This test file's connection to the shared browser; closing it closes only its own visitors. */
export const openBrowser = (): Promise<Browser> => chromium.connect(inject('browserEndpoint'), { timeout: minutes(5) });

/** The service as `npm start` runs it, and a real browser. */
export interface TestSite {
  readonly server: TestServer;
  readonly origin: string;
  /** Opens a page for a new visitor, whose console must stay empty. */
  visit(path: string, options?: Visitor): Promise<Page>;
  /** Gives the browser of a page the session of a test client. */
  shareSession({ cookies }: Client, page: Page): Promise<void>;
}

interface Visitor extends BrowserContextOptions {
  /** A test client whose session the browser has. */
  readonly session?: Client;
  /** Prepares the browser before the page opens. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export async function openTestSite(
  settings: Record<string, string> = {},
  options: Parameters<typeof openTestServer>[2] = {},
): Promise<TestSite> {
  const port = await freePort();
  // A test may have placed a proxy in between.
  const origin = settings.PUBLIC_URL ?? `http://localhost:${port}`;
  const server = await openTestServer(
    'sqlite',
    { PORT: String(port), PUBLIC_URL: origin, TRUSTED_PROXIES: '', ...settings },
    { ownPages: true, ...options },
  );
  const browser = await openBrowser();
  const complaints: string[] = [];
  const unrepeated: Refusals[] = [];
  const contexts = new Set<BrowserContext>();
  // An open page still sends requests. Ignore the errors of those that closing it aborts.
  afterEach(async () => {
    const pending = unrepeated.splice(0);
    await expect.poll(() => pending.flatMap((refusals) => [...refusals.values()])).toEqual([]);
    for (const context of contexts) {
      for (const page of context.pages()) {
        page.removeAllListeners();
        await page.unrouteAll({ behavior: 'ignoreErrors' });
      }
      await context.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  });
  afterAll(async () => {
    await browser.close();
    expect(complaints).toEqual([]);
  });
  const shareSession: TestSite['shareSession'] = ({ cookies }, page) =>
    page.context().addCookies([...cookies].map(([name, value]) => ({ name, value, url: origin })));
  return {
    server,
    origin,
    shareSession,
    async visit(path, { session, prepare, ...options } = {}) {
      // Drawing transitions takes a tenth of the tests' processor time; `look.test.ts` looks at them.
      const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options });
      contexts.add(context);
      context.once('close', () => contexts.delete(context));
      context.setDefaultTimeout(minutes(2));
      const page = await context.newPage();
      unrepeated.push(listen(page, complaints));
      if (session) await shareSession(session, page);
      await prepare?.(page);
      await page.goto(origin + path);
      if (options.javaScriptEnabled !== false) await page.locator('html[data-alive]').waitFor();
      return page;
    },
  };
}

/** A refusal is a valid response, but the browser logs it as an error. */
const answered = /Failed to load resource: the server responded with a status of (?:401|404|409|410|422|429|503)/;

/** The errors of requests that were refused for their CSRF token, by address, until the page repeats them. */
type Refusals = Map<string, string>;

/**
 * A request may carry the CSRF token of a session that has just begun or ended, or that of another application. The
 * page repeats it with the right one, unless the user leaves the page.
 */
const refusedToken = /responded with a status of 403 /;
/** No one asked for it: the page requests it for its suggestions, and not again if the browser blocks cookies. */
const unasked = /responded with a status of 403 .*\/auth\/passkeys\/challenge\)$/;

function listen(page: Page, complaints: string[]): Refusals {
  const refusals: Refusals = new Map();
  page.on('console', (message) => {
    const { url } = message.location();
    const text = `${message.text()} (${url})`;
    if (!['error', 'warning'].includes(message.type()) || answered.test(text) || unasked.test(text)) return;
    if (refusedToken.test(text)) refusals.set(url, `${page.url()}: ${text}`);
    else complaints.push(`${page.url()}: ${text}`);
  });
  page.on('response', (response) => {
    if (response.status() !== 403) refusals.delete(response.url());
  });
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame()) refusals.clear();
  });
  page.on('close', () => refusals.clear());
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
  return refusals;
}
