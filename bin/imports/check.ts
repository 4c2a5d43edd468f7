// Checks who imports whom in `src`; `npm test` runs it. Prints what it has read, so that an empty look shows.
import { existsSync } from 'node:fs';
import { inProject, root } from '../steps/places.mjs';
import { readModules } from './modules.ts';
import { placeOf } from './rooms.ts';
import { importProblems } from './rules.ts';

const leastModules = 100;

const modules = readModules(root, 'src');
const imports = modules.reduce((sum, module) => sum + module.imports.length, 0);
const problems = importProblems(modules, (target) => existsSync(inProject(target)));
const rooms = new Set(modules.map(({ path }) => placeOf(path)?.room));

if (modules.length < leastModules || imports < modules.length)
  problems.push(`only ${modules.length} modules with ${imports} imports were read: the check looks in the wrong place`);
console.log(`${modules.length} modules in ${rooms.size} rooms, ${imports} imports`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
