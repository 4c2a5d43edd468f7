import { cell } from './cell.ts';

/** Whether the next navigation must load the whole page, because a newer build is there. */
export const newBuild = cell(false);
