import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Path of a file of the project. */
export const inProject = (/** @type {string[]} */ ...parts) => join(root, ...parts);

/** The Node that package.json pins; the system's may be older. */
export const pinnedNode = inProject('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
