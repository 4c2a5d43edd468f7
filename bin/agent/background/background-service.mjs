import { commandOf, options } from '../command-line.mjs';
import { folder, installed } from '../data-folder.mjs';

/**
 * How a system starts programs in the background. `start` and `stop` are commands; one that begins with `-` may fail.
 * @typedef {{ file: string, text: string, start: string[][], stop: string[][] }} BackgroundService
 */

/** What a service manager runs. */
export const commandLine = () => [...commandOf(installed), 'run', '--data', folder];

/** Whether the service belongs to the system. */
export const isForSystem = () => process.getuid?.() === 0 && !options.user;

export const xml = (/** @type {string} */ text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
