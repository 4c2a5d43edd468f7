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
      response.end('<!doctype html><title>A page</title><script>window.ran = true</script>');
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
});
