// One browser for all test files of a run; each of their visitors has a context of their own in it.
import type { TestProject } from 'vitest/node';
import { startBrowser } from './browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the browser takes commands. */
    browserEndpoint: string;
  }
}

/** Vitest calls this before the first test file, and what it returns after the last. */
export async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const browser = await startBrowser();
  project.provide('browserEndpoint', browser.wsEndpoint());
  return () => browser.close();
}
