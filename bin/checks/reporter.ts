import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule } from 'vitest/node';
import { inProject } from '../steps/places.mjs';

/** The report that Vitest writes for `npm test` at the end of a run. */
export interface TestReport {
  /** The number of tests. */
  readonly passed: number;
  readonly failed: number;
  /** Paths, with `/`, of the test files in which every test passed. Empty if an error belongs to no file. */
  readonly green: readonly string[];
}

const pathOf = ({ moduleId }: TestModule): string => moduleId.slice(inProject().length).replaceAll('\\', '/');

/** Writes the report to the file that `TEST_REPORT` names. */
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[], reason: string): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    const isWhole = unhandled.length === 0 && reason !== 'interrupted';
    const report: TestReport = {
      passed: states.filter((state) => state === 'passed').length,
      failed: states.filter((state) => state === 'failed').length,
      green: isWhole ? modules.filter((module) => module.ok() && module.state() === 'passed').map(pathOf) : [],
    };
    writeFileSync(process.env.TEST_REPORT ?? '', JSON.stringify(report));
  }
}
