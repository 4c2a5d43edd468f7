// `node bin/launch.mjs [--everything | --packages] PROGRAM …` installs and builds what is missing, then runs a program of
// the project under the pinned Node. npm scripts start with it instead of hooks (`prestart`), which npm skips if
// `ignore-scripts` is set, and name no Node, since the one on the PATH may be the system's.
//   --everything  also installs the packages for tests
//   --packages    installs all packages and does not build
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { machineTrouble, nodeTrouble } from './steps/pinned-node.mjs';
import { inProject, pinnedNode } from './steps/places.mjs';
import { Interrupted, runToEnd } from './steps/process.mjs';
import { requireSettings } from './steps/required-settings.mjs';
import { setUp } from './steps/setup.mjs';

const [first = '', ...others] = process.argv.slice(2);
const flag = first.startsWith('--') ? first : undefined;
const [name = '', ...words] = flag ? others : [first, ...others];
const program = inProject(name);

try {
  const isService = name === 'bin/serve.mjs';
  await setUp({
    everything: flag !== undefined,
    built: flag !== '--packages',
    ...(isService && { beforeWork: requireSettings }),
  });
  if (realpathSync(pinnedNode) === realpathSync(process.execPath)) await runHere();
  else await runThere();
} catch (problem) {
  if (!(problem instanceof Interrupted)) console.error(`\n${problem instanceof Error ? problem.message : problem}\n`);
  process.exitCode = problem instanceof Interrupted ? 130 : 1;
}

/** This process becomes the program, and saves the memory of a second one. */
async function runHere() {
  process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...words);
  await import(pathToFileURL(program).href);
}

async function runThere() {
  const end = await runToEnd(pinnedNode, [program, ...words], { stdio: 'inherit', untilParentEnds: true }).catch(
    (/** @type {Error} */ error) => {
      throw new Error(nodeTrouble() ?? error.message);
    },
  );
  process.exitCode = end.status;
  if (!end.signal || ['SIGINT', 'SIGTERM', 'SIGHUP'].includes(end.signal)) return;
  const trouble = machineTrouble(`ended by ${end.signal}`);
  console.error(`\n${name} was ended by ${end.signal}${trouble ? `: ${trouble}` : ''}.\n`);
}
