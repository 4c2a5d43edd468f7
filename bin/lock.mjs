// `npm run lock`: updates package-lock.json after a change to package.json. Removes the engines of optional packages: npm
// would compare them with the system's Node and silently omit the packages, but only the pinned Node runs them.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { inProject, root } from './steps/places.mjs';

const { status } = spawnSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], {
  cwd: root,
  shell: process.platform === 'win32',
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);
const file = inProject('package-lock.json');
const lock = JSON.parse(readFileSync(file, 'utf8'));
for (const locked of Object.values(lock.packages)) if (locked.optional || locked.devOptional) delete locked.engines;
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
