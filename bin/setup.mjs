// Installs missing packages and builds if the build is stale, and prints each step. Runs on the system's Node (20 or
// newer); afterwards npm finds the pinned Node in node_modules/.bin.
//   --everything  also installs the packages for tests
//   --packages    installs all packages and does not build
//   --force       always builds
import { spawnSync } from 'node:child_process';
import { install, isInstalled } from './steps/install.mjs';
import { inProject, pinnedNode, root } from './steps/places.mjs';
import { forgetBuild, isBuilt, rememberBuild, stampOfSources } from './steps/stamp.mjs';

const packagesOnly = process.argv.includes('--packages');
const everything = packagesOnly || process.argv.includes('--everything');
const force = process.argv.includes('--force');

/** Runs work and prints how long it took. */
function report(/** @type {string} */ what, /** @type {() => void} */ work) {
  console.log(`${what} …`);
  const begun = performance.now();
  work();
  console.log(`${what}: done in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

function build() {
  // Computed before the build, so that a change during the build makes it stale.
  const stamp = stampOfSources();
  forgetBuild();
  const { status, error } = spawnSync(pinnedNode, [inProject('bin', 'steps', 'build.ts')], {
    cwd: root,
    stdio: 'inherit',
  });
  if (error) throw error;
  if (status !== 0) throw new Error('The build failed: see above.');
  rememberBuild(stamp);
}

try {
  if (!isInstalled(everything)) report('Installing packages (npm ci)', () => install(everything));
  if (!packagesOnly && (force || !isBuilt(stampOfSources()))) report('Building', build);
} catch (problem) {
  console.error(`\n${problem instanceof Error ? problem.message : problem}\n`);
  process.exitCode = 1;
}
