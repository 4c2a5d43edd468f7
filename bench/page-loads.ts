import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startBrowser } from '../e2e/browser.ts';
import { type Figures, medianOf } from './measure.ts';
import type { OwnService } from './servers.ts';

/** A phone on a slow mobile network: bytes per second, milliseconds, and how many times slower its processor is. */
const slowly = { download: 1_600_000 / 8, upload: 750_000 / 8, latency: 150, processor: 4 };
const loads = 5;

/** The timings that a page recorded (page-loads.client.js), in milliseconds. */
interface PageLoadTimings {
  readonly FCP: number;
  readonly LCP: number;
  readonly CLS: number;
  readonly alive: number;
}

async function loadOnce(browser: Browser, url: string): Promise<Figures> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 360, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript({ path: join(import.meta.dirname, 'page-loads.client.js') });
  let bytes = 0;
  const session = await slowDown(page);
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.locator('html[data-alive]').waitFor();
  const { FCP, LCP, CLS, alive } = await page.evaluate<PageLoadTimings>('seen');
  await context.close();
  return { 'FCP, ms': FCP, 'LCP, ms': LCP, 'form usable, ms': alive, CLS, kB: bytes / 1000 };
}

async function slowDown(page: Page) {
  const session = await page.context().newCDPSession(page);
  const { download, upload, latency, processor } = slowly;
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    downloadThroughput: download,
    uploadThroughput: upload,
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: processor });
  return session;
}

/** Loads a page as a first-time visitor. */
export async function loadPage({ url }: OwnService, path: string): Promise<Figures> {
  const server = await startBrowser();
  try {
    const browser = await chromium.connect(server.wsEndpoint());
    const all: Figures[] = [];
    while (all.length < loads) all.push(await loadOnce(browser, url + path));
    return medianOf(all);
  } finally {
    await server.close();
  }
}
