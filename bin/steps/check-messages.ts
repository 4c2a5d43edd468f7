// Checks the catalogs against each other and against the pages and emails that show their messages; `npm test` runs it.
import { readTexts } from '../../build/page-texts.ts';
import { catalogProblems } from '../../src/messages/check-catalogs.ts';
import { readCatalogs } from './messages.ts';
import { root } from './places.mjs';

const catalogs = readCatalogs();
const ids = catalogs.get('en')?.entries.map(({ id }) => id) ?? [];
const { pages, problems: unclear, unused } = await readTexts(root, ids);
const problems = [
  ...catalogProblems(catalogs),
  ...unclear,
  ...unused.map((id) => `en ${id}: neither a page nor an email uses it`),
];

console.log(`${catalogs.size} languages, ${ids.length} messages, ${pages.length} pages`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
