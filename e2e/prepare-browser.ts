import { launchBrowser } from './browser.ts';

/** Vitest calls this once before the first test file: what has to be unpacked is unpacked, what is missing is said. */
export async function setup(): Promise<void> {
  const browser = await launchBrowser();
  await browser.close();
}
