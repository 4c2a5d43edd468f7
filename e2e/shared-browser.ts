// One browser for all test files of a run; each visitor gets their own context.
import type { TestProject } from 'vitest/node';
import { startBrowser } from './browser.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The WebSocket endpoint for commands to the browser. */
    browserEndpoint: string;
  }
}

/** Vitest calls this before the first test file, and the returned function after the last. */
export async function setup(project: Pick<TestProject, 'provide'>): Promise<() => Promise<void>> {
  const browser = await startBrowser();
  project.provide('browserEndpoint', browser.wsEndpoint());
  return () => browser.close();
}
