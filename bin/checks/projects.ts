/** Folders whose tests open a database. */
export const databases: readonly string[] = ['src/store', 'src/outbox', 'src/phone-calls', 'src/testing'];
/** Folders whose tests go through HTTP or the command line. */
export const overHttp: readonly string[] = [
  'src/access',
  'src/server',
  'src/http',
  'src/journeys',
  'src/development-inbox',
  'src/webhooks',
  'src/cli',
];
/** Folders of all other tests that run in Node. */
export const units: readonly string[] = ['src', 'bin', 'build', 'drills'];

/** Vitest's projects, from the cheapest to the most expensive, with their global setup. */
export const setups = {
  unit: [],
  store: ['src/testing/databases/shared-postgres.ts'],
  http: ['src/testing/databases/shared-postgres.ts'],
  browser: ['e2e/shared-browser.ts'],
} as const satisfies Record<string, readonly string[]>;

export type Project = keyof typeof setups;

/** Renders pages before the HTTP tests. It only saves time, so not every such test depends on the built site. */
export const warmUp = 'src/testing/shared-pages.ts';

/** The setup that Vitest runs before each test file. */
export const eachFile = 'src/testing/each-file.ts';

const isIn = (path: string, folders: readonly string[]) => folders.some((folder) => path.startsWith(`${folder}/`));

/** The project that runs a test file; undefined for other files. */
export function projectOf(path: string): Project | undefined {
  if (!/\.test\.tsx?$/.test(path)) return undefined;
  if (isIn(path, ['e2e'])) return 'browser';
  if (isIn(path, databases)) return 'store';
  if (isIn(path, overHttp)) return 'http';
  return isIn(path, units) ? 'unit' : undefined;
}

/** The longest test files, in spite of their size: they begin first, so that none of them ends alone. */
export const longest: readonly string[] = [
  'e2e/screens.test.ts',
  'e2e/gallery.test.ts',
  'src/journeys/confirm-phone/calls/call-providers.test.ts',
  'src/server/tracing/tracing.test.ts',
  'src/cli/keys.test.ts',
  'src/store/time-budget.test.ts',
  'src/store/postgres/pool.test.ts',
  'src/store/postgres/timeline.test.ts',
  'bin/recipes.test.ts',
  'bin/checks/check.test.ts',
];
