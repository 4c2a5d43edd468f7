// The catalogs against each other, and their messages against the sources that use them; `npm test` runs it.
import { readdirSync, readFileSync } from 'node:fs';
import { problemsOfUse } from '../../src/messages/check-use.ts';
import { messageProblems, readCatalogs } from './messages.ts';
import { inProject } from './places.mjs';

const lists = ['site/pages.ts'];

const catalogs = readCatalogs();
const ids = catalogs.get('en')?.entries.map(({ id }) => id) ?? [];
const sources = readdirSync(inProject('src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|^messages\b/.test(path))
  .map((path) => ({ path: `src/${path}`, content: readFileSync(inProject('src', path), 'utf8') }));

const isList = ({ path }: { path: string }) => lists.includes(path.slice('src/'.length));
const problems = [
  ...messageProblems(catalogs),
  ...problemsOfUse(ids, { sources: sources.filter((source) => !isList(source)), lists: sources.filter(isList) }),
];
console.log(`${catalogs.size} languages, ${ids.length} messages, used by ${sources.length} sources`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
}
