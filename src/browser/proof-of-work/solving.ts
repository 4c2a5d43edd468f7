import { cell } from '../platform/cell.ts';

/** Whether a request waits for the solution of a task, so that the page can explain the wait. */
export const solving = cell(false);
