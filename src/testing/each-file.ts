// Vitest runs this before each test file. Files share a process and its modules, so modules cannot detect a file's end.
import { afterAll, beforeAll, expect } from 'vitest';
import { runFileCleanup } from './file-cleanup.ts';
import { beginReach, endLoading, endReach } from './reach.ts';

beginReach();

beforeAll(endLoading);

afterAll(async () => {
  await runFileCleanup();
  endReach(expect.getState().testPath ?? '');
});
