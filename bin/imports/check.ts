// Checks the import rules of `src`, and that no module of the project imports itself, even through others; `npm test`
// runs it. Prints counts, so that an empty result is visible.
import { existsSync } from 'node:fs';
import { inProject, root } from '../steps/places.mjs';
import { cycleProblems } from './cycles.ts';
import { readModules } from './modules.ts';
import { placeOf } from './rooms.ts';
import { importProblems } from './rules.ts';

const leastModules = 100;

const modules = readModules(root, 'src');
const imports = modules.reduce((sum, module) => sum + module.imports.length, 0);
const others = ['bench', 'bin', 'build', 'drills', 'e2e'].flatMap((folder) => readModules(root, folder));
const problems = [
  ...importProblems(modules, (target) => existsSync(inProject(target))),
  ...cycleProblems([...modules, ...others]),
];
const rooms = new Set(modules.map(({ path }) => placeOf(path)?.room));

if (modules.length < leastModules || imports < modules.length)
  problems.push(`only ${modules.length} modules with ${imports} imports were read: the check looks in the wrong place`);
console.log(`${modules.length} modules in ${rooms.size} rooms, ${imports} imports`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
