import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { readTexts } from '../../build/page-texts.ts';
import { defaultLanguage, languages } from '../../src/contract/languages.ts';
import { type Catalog, type CatalogEntry, idsSource, readCatalog } from '../../src/messages/catalog.ts';
import { catalogProblems } from '../../src/messages/check-catalogs.ts';
import { inProject, root } from './places.mjs';

const folder = inProject('src', 'messages');
const target = inProject('dist', 'messages');

/** The catalogs of the project, by language. */
export const readCatalogs = (): Map<string, Catalog> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.po'))
      .map((file) => [basename(file, '.po'), readCatalog(readFileSync(inProject('src', 'messages', file), 'utf8'))]),
  );

/** Writes the type of the ids from en.po; git ignores that file. Returns whether it changed. */
export const writeIds = (catalogs: ReadonlyMap<string, Catalog>): boolean =>
  writeIfNew(inProject('src', 'messages', 'ids.ts'), idsSource(catalogs.get('en') ?? { language: 'en', entries: [] }));

/** Writes `dist/messages/<language>.json`: id → Lingui's compiled message. Returns whether any changed. */
export function writeMessages(catalogs: ReadonlyMap<string, Catalog>): boolean {
  mkdirSync(target, { recursive: true });
  const files = [...catalogs].map(([language, { entries }]) => {
    const messages = Object.fromEntries(entries.map(({ id, text }) => [id, compileMessageOrThrow(text)]));
    return { file: inProject('dist', 'messages', `${language}.json`), content: JSON.stringify(messages) };
  });
  return files.map(({ file, content }) => writeIfNew(file, content)).includes(true);
}

/** Leaves unchanged files alone, so that file watchers are not triggered. */
function writeIfNew(file: string, content: string): boolean {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return false;
  writeFileSync(file, content);
  return true;
}

/** Completes every language with all messages of en.po: missing and invalid translations become English. */
export function withEnglish(catalogs: ReadonlyMap<string, Catalog>): Map<string, Catalog> {
  const english = catalogs.get(defaultLanguage)?.entries ?? [];
  return new Map(
    languages.map(({ code }) => {
      if (code === defaultLanguage) return [code, { language: code, entries: english }];
      const own = new Map(catalogs.get(code)?.entries.map((entry) => [entry.id, entry]));
      return [code, { language: code, entries: english.map((entry) => readable(own.get(entry.id)) ?? entry) }];
    }),
  );
}

function readable(entry: CatalogEntry | undefined): CatalogEntry | undefined {
  if (!entry?.text) return undefined;
  try {
    compileMessageOrThrow(entry.text);
    return entry;
  } catch {
    return undefined;
  }
}

const linesShown = 10;

/** Prints the first problems of the catalogs as a warning. */
export function warnOfMessages(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length - linesShown;
  console.warn(
    ['Messages:', ...problems.slice(0, linesShown), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n  '),
  );
}

// Checks the catalogs against each other and against the pages and emails that show their messages; `npm test` runs it.
if (process.argv[1] === import.meta.filename) {
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
}
