import { cell } from './cell.ts';

/** Whether the next navigation must load the whole page because there is a newer build. */
export const newBuild = cell(false);
