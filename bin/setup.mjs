// Installs missing packages and builds if the build is stale. Runs on the system's Node (20 or newer).
//   --everything  also installs the packages for tests
//   --force       always builds
import { Interrupted } from './steps/process.mjs';
import { setUp } from './steps/setup.mjs';

try {
  await setUp({
    everything: process.argv.includes('--everything'),
    built: true,
    afresh: process.argv.includes('--force'),
  });
} catch (problem) {
  if (!(problem instanceof Interrupted)) console.error(`\n${problem instanceof Error ? problem.message : problem}\n`);
  process.exitCode = problem instanceof Interrupted ? 130 : 1;
}
