// Vitest runs this before each test file. Files share a process and its modules, so none of those can tell where one ends.
import { afterAll } from 'vitest';
import { tidyUp } from './afterwards.ts';

afterAll(tidyUp);
