#!/usr/bin/env node
// `npx vestibule …`: runs the command line under the pinned Node.
import { spawnSync } from 'node:child_process';
import { inProject, pinnedNode, root } from './steps/places.mjs';

const { status, error } = spawnSync(pinnedNode, [inProject('src', 'cli', 'vestibule.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  // Settings and data are the project's, from whichever folder it is called.
  cwd: root,
  env: { ...process.env, CALLED_FROM: process.cwd() },
});
if (error) console.error('The packages are not installed yet: run `npm start` (or `npm ci`) first.');
process.exitCode = status ?? 1;
