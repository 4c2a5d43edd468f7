import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { databases, eachFile, longest, overHttp, setups, units, warmUp } from './bin/checks/projects.ts';

const testsIn = (folders: readonly string[]) => folders.map((folder) => `${folder}/**/*.test.{ts,tsx}`);

/** Test files share a process and its modules: loading them for each file takes longer than most files' tests. */
const shared = { isolate: false, setupFiles: eachFile };

const isLong = ({ moduleId }: TestSpecification) => longest.some((path) => moduleId.endsWith(`/${path}`));

/** Vitest's order, but each project begins with its longest files. Without earlier results, Vitest sorts by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

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
    sequence: { sequencer: LongestFirst },
    // Most tests wait for a hash, a disk or a browser, not for their own processor time.
    maxWorkers: availableParallelism() + 3,
    slowTestThreshold: 60_000,
    projects: [
      {
        test: {
          ...patience,
          ...shared,
          name: 'unit',
          include: testsIn(units),
          exclude: testsIn([...databases, ...overHttp]),
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
          include: testsIn(overHttp),
          globalSetup: [...setups.http, warmUp],
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
