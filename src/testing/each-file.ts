// Vitest runs this before each test file. Files share a process and its modules, so modules cannot detect a file's end.
import { afterAll, expect } from 'vitest';
import { statusAndCode, type TestResponse } from './client.ts';
import { runFileCleanup } from './file-cleanup.ts';

declare module 'vitest' {
  interface Matchers<R> {
    /** Compares the status, code and details of a response, such as `422 validation_failed email email_invalid`. */
    toSay(expected: string | RegExp): R;
  }
}

expect.extend({
  toSay(response: TestResponse, expected: string | RegExp) {
    const said = statusAndCode(response);
    const pass = typeof expected === 'string' ? said === expected : expected.test(said);
    return { pass, actual: said, expected, message: () => `the response is ${said}: ${JSON.stringify(response.body)}` };
  },
});

afterAll(runFileCleanup);
