import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { databases, doors, eachFile, setups, units } from './bin/checks/projects.ts';

const testsIn = (folders: readonly string[]) => folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`);

/** A process and its modules serve many files: to load them anew for each takes longer than most files' tests. */
const shared = { isolate: false, setupFiles: eachFile };

/** In milliseconds. A busy machine is slow, not wrong: these end what hangs, and judge nothing. */
const patience = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

/** Four projects, from the cheapest to the dearest. Their test files run side by side. */
export default defineConfig({
  test: {
    allowOnly: false,
    // Most of them wait for a hash, a disk or a browser rather than for their own processor.
    maxWorkers: availableParallelism() + 2,
    slowTestThreshold: 60_000,
    projects: [
      {
        test: {
          ...patience,
          ...shared,
          name: 'unit',
          include: testsIn(units),
          exclude: testsIn([...databases, ...doors]),
        },
      },
      {
        test: {
          ...patience,
          ...shared,
          name: 'store',
          include: testsIn(databases),
          globalSetup: [...setups.store],
        },
      },
      {
        test: {
          ...patience,
          ...shared,
          name: 'http',
          include: testsIn(doors),
          globalSetup: [...setups.http],
        },
      },
      {
        test: {
          ...patience,
          ...shared,
          name: 'browser',
          include: testsIn(['e2e']),
          globalSetup: [...setups.browser],
        },
      },
    ],
  },
});
