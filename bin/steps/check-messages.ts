// The catalogs against each other, and their messages against the pages and letters that show them; `npm test` runs it.
import { readProject } from '../../build/texts/project.ts';
import { messageProblems, readCatalogs } from './messages.ts';
import { root } from './places.mjs';

const catalogs = readCatalogs();
const ids = catalogs.get('en')?.entries.map(({ id }) => id) ?? [];
const { pages, problems: unclear, unused } = await readProject(root, ids);
const problems = [
  ...messageProblems(catalogs),
  ...unclear,
  ...unused.map((id) => `en ${id}: no page and no letter uses it`),
];

console.log(`${catalogs.size} languages, ${ids.length} messages, ${pages.length} pages`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
