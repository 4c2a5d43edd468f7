#!/usr/bin/env node
// `node bin/vestibule.mjs …`: runs the bundled command line under the pinned Node.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { nodeTrouble } from './steps/pinned-node.mjs';
import { inProject, pinnedNode, root } from './steps/places.mjs';
import { startVariables } from './steps/required-settings.mjs';

const program = inProject('dist', 'server', 'vestibule.js');
if (!existsSync(program) || !existsSync(pinnedNode)) {
  console.error('Vestibule is not built yet: run `npm run build` (or `npm start`) first.');
  process.exit(1);
}
const { status, signal, error } = spawnSync(pinnedNode, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Uses the settings and data of the project, from any working directory.
  cwd: root,
  env: {
    NODE_COMPILE_CACHE: inProject('node_modules', '.cache', 'compiled'),
    ...startVariables(root),
    ...process.env,
    CALLED_FROM: process.cwd(),
  },
});
if (error) console.error(nodeTrouble() ?? error.message);
if (signal) console.error(`vestibule was ended by ${signal}`);
process.exitCode = status ?? 1;
