#!/usr/bin/env node
// `npx vestibule …`: runs the command line as it was built, under the pinned Node.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inProject, pinnedNode, root } from './steps/places.mjs';

const program = inProject('dist', 'server', 'vestibule.js');
if (!existsSync(program) || !existsSync(pinnedNode)) {
  console.error('It is not built yet: run `npm run build` (or `npm start`) first.');
  process.exit(1);
}
const { status } = spawnSync(pinnedNode, [program, ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Settings and data are the project's, from whichever folder it is called.
  cwd: root,
  env: {
    NODE_COMPILE_CACHE: inProject('node_modules', '.cache', 'compiled'),
    ...process.env,
    CALLED_FROM: process.cwd(),
  },
});
process.exitCode = status ?? 1;
