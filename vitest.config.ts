import { defineConfig } from 'vitest/config';

const databases = ['src/store', 'src/outbox', 'src/phone-calls', 'src/testing'];
const doors = ['src/server', 'src/http', 'src/journeys', 'src/development-inbox', 'src/cli'];
const testsIn = (folders: readonly string[]) => folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`);

/** Four projects, from the cheapest to the dearest; `bin/check.mjs` runs them one after another. */
export default defineConfig({
  test: {
    allowOnly: false,
    projects: [
      {
        test: {
          name: 'unit',
          include: testsIn(['src', 'bin', 'build']),
          exclude: testsIn([...databases, ...doors]),
        },
      },
      {
        test: {
          name: 'store',
          include: testsIn(databases),
          globalSetup: 'src/testing/postgres.ts',
          testTimeout: 20_000,
          hookTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'http',
          include: testsIn(doors),
          globalSetup: 'src/testing/postgres.ts',
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: testsIn(['e2e']),
          globalSetup: 'e2e/prepare-browser.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
