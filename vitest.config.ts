import { availableParallelism } from 'node:os';
import type { ViteUserConfig } from 'vitest/config';

const testsIn = (folders: readonly string[]) => folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`);

/** Tests that open a database. */
const databases = testsIn(['src/store', 'src/outbox', 'src/phone-calls', 'src/testing']);
/** Tests that go through HTTP or the command line. */
const overHttp = testsIn([
  ...[
    'src/access',
    'src/server',
    'src/http',
    'src/journeys',
    'src/operations',
    'src/devices',
    'src/development-inbox',
    'src/webhooks',
    'src/cli',
  ],
]);
const postgres = 'src/testing/databases/shared-postgres.ts';

/** Under `npm test`; `npm test -- full` and `npx vitest` also run the long tests: files of this name, and tests with the tag. */
const isFast = process.env.TIER === 'fast';
const leftOut = isFast ? ['**/*.full.test.{ts,tsx}'] : [];

/** Four projects, from the cheapest to the most expensive. Their test files run in parallel. */
const projects = [
  { name: 'unit', include: testsIn(['src', 'bin', 'build', 'drills']), exclude: [...databases, ...overHttp] },
  { name: 'store', include: databases, globalSetup: [postgres] },
  // Rendering the shared pages first saves time; few of these tests depend on the built site.
  { name: 'http', include: overHttp, globalSetup: [postgres, 'src/testing/shared-pages.ts'] },
  { name: 'browser', include: testsIn(['e2e']), globalSetup: ['e2e/browser.ts'] },
];

/** In milliseconds. Generous, because a busy machine is slow: they only end tests that hang. */
const patience = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

/** Test files share a process and its modules: loading them for each file takes longer than most files' tests. */
const shared = { isolate: false, setupFiles: 'src/testing/each-file.ts' };

export default {
  test: {
    allowOnly: false,
    // Most tests wait for a hash, a disk or a browser, not for their own processor time.
    maxWorkers: availableParallelism() + 3,
    slowTestThreshold: 60_000,
    tags: [{ name: 'full' }],
    ...(isFast && { tagsFilter: ['!full'] }),
    projects: projects.map(({ exclude = [], ...project }) => ({
      test: { ...patience, ...(project.name !== 'browser' && shared), ...project, exclude: [...exclude, ...leftOut] },
    })),
  },
} satisfies ViteUserConfig;
