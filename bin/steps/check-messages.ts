// Checks the catalogs against each other and against the pages and emails that show their messages; `npm test` runs it.
//   --stale-ids  ids.ts was stale when the checks started, so CI must fail
import { readTexts } from '../../build/page-texts.ts';
import { messageProblems, readCatalogs } from './messages.ts';
import { root } from './places.mjs';

const catalogs = readCatalogs();
const ids = catalogs.get('en')?.entries.map(({ id }) => id) ?? [];
const { pages, problems: unclear, unused } = await readTexts(root, ids);
const problems = [
  ...(process.argv.includes('--stale-ids') ? ['src/messages/ids.ts was stale. It is up to date now: commit it'] : []),
  ...messageProblems(catalogs),
  ...unclear,
  ...unused.map((id) => `en ${id}: neither a page nor an email uses it`),
];

console.log(`${catalogs.size} languages, ${ids.length} messages, ${pages.length} pages`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
