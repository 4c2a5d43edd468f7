import { cell } from '../../../browser/platform/cell.ts';

/** The name of the device that was removed last, which the list of devices confirms until the user leaves it. */
export const removedDevice = cell<string | undefined>(undefined);
