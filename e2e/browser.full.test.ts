import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from './test-site.ts';

describe('the test browser', () => {
  let browser: Browser;
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    browser = await openBrowser();
    server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('content-security-policy', "default-src 'self'; require-trusted-types-for 'script'");
      response.end(
        '<!doctype html><title>A page</title><h1>Hello, Привет, مرحبا, こんにちは</h1><script>window.ran = true</script>',
      );
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it('enforces web security: an inline script that the policy forbids does not run', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    expect(await page.evaluate(() => 'ran' in window)).toBe(false);
    expect(await page.evaluate(() => fetch('http://127.0.0.1:1/').then(String, () => 'refused'))).toBe('refused');
    await page.close();
  });

  it('serves parallel visitors, each with their own cookies, colors and size', async () => {
    const [one, other] = await Promise.all([
      browser.newContext({ colorScheme: 'dark', viewport: { width: 320, height: 640 } }),
      browser.newContext({ colorScheme: 'light', viewport: { width: 1280, height: 800 } }),
    ]);
    const [small, large] = await Promise.all([one.newPage(), other.newPage()]);
    await Promise.all([small.goto(origin), large.goto(origin)]);
    await one.addCookies([{ name: 'mine', value: '1', url: origin }]);
    expect(await small.evaluate(() => document.cookie)).toBe('mine=1');
    expect(await large.evaluate(() => document.cookie)).toBe('');
    expect(await small.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches])).toEqual([
      320,
      true,
    ]);
    expect(await large.evaluate(() => [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches])).toEqual([
      1280,
      false,
    ]);
    await one.close();
    expect(await large.title()).toBe('A page');
    await other.close();
  });

  it('renders text', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const { width } = (await page.locator('h1').boundingBox()) ?? { width: 0 };
    expect(width).toBeGreaterThan(100);
    expect((await page.screenshot()).length).toBeGreaterThan(3000);
    await page.close();
  });
});
