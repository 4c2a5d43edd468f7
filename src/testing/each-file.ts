// Vitest runs this before each test file. Files share a process and its modules, so modules cannot detect a file's end.
import { afterAll } from 'vitest';
import { runFileCleanup } from './file-cleanup.ts';

afterAll(runFileCleanup);
