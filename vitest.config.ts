import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { databases, doors, eachFile, setups, units } from './bin/checks/projects.ts';

const testsIn = (folders: readonly string[]) => folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`);

/** Test files share a process and its modules: loading them for each file takes longer than most files' tests. */
const shared = { isolate: false, setupFiles: eachFile };

/** In milliseconds. Generous, because a busy machine is slow: they only end tests that hang. */
const patience = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

/** Four projects, from the cheapest to the most expensive. Their test files run in parallel. */
export default defineConfig({
  test: {
    allowOnly: false,
    // Most tests wait for a hash, a disk or a browser, not for their own processor time.
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
