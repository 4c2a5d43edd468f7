import { appendFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestCase, TestModule, TestSpecification, TestSuite } from 'vitest/node';

/** A line of the record that Vitest keeps of a run, so that a run that is cut off can still be explained. */
export type Line =
  /** The number of test files. */
  | { readonly files: number }
  | { readonly began: string }
  | { readonly failed: string; readonly error: string }
  /** The test file, and the number of its tests that passed. */
  | { readonly ended: string; readonly passed: number }
  | { readonly over: true };

const write = (line: Line) => appendFileSync(process.env.TEST_RECORD ?? '', `${JSON.stringify(line)}\n`);

const writeFailures = (failed: string, errors: readonly SerializedError[] = []) => {
  for (const { message } of errors) write({ failed, error: message.trim().split('\n', 1)[0] ?? '' });
};

const pathOf = ({ relativeModuleId }: TestModule) => relativeModuleId.replaceAll('\\', '/');

/** Writes the record to the file that `TEST_RECORD` names, while the tests run. */
export default class implements Reporter {
  onTestRunStart(files: readonly TestSpecification[]): void {
    write({ files: files.length });
  }

  onTestModuleQueued(module: TestModule): void {
    write({ began: pathOf(module) });
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === 'failed') writeFailures(`${pathOf(test.module)} > ${test.fullName}`, errors.slice(0, 1));
  }

  onTestSuiteResult(suite: TestSuite): void {
    writeFailures(`${pathOf(suite.module)} > ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(module: TestModule): void {
    writeFailures(pathOf(module), module.errors());
    const tests = [...module.children.allTests('passed')];
    write({ ended: pathOf(module), passed: tests.length });
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    writeFailures('outside of a test', unhandled);
    write({ over: true });
  }
}
