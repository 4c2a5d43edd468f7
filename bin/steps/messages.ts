import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { type Catalog, readCatalog } from '../../src/messages/catalog.ts';
import { catalogProblems } from '../../src/messages/check-catalogs.ts';
import { idsSource } from '../../src/messages/message-ids.ts';
import { inProject } from './places.mjs';

const folder = inProject('src', 'messages');
const idsFile = inProject('src', 'messages', 'ids.ts');
const target = inProject('dist', 'messages');

/** Every catalog of the project, by the name of its file. */
export const readCatalogs = (): Map<string, Catalog> =>
  new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.po'))
      .map((file) => [basename(file, '.po'), readCatalog(readFileSync(inProject('src', 'messages', file), 'utf8'))]),
  );

/** What is wrong with the catalogs and with `ids.ts`, one line each. */
export function messageProblems(catalogs: ReadonlyMap<string, Catalog>): string[] {
  const problems = catalogProblems(catalogs);
  return idsAreUpToDate(catalogs)
    ? problems
    : [...problems, 'src/messages/ids.ts is not what en.po gives: run `npm run build`'];
}

const idsOf = (catalogs: ReadonlyMap<string, Catalog>) =>
  idsSource(catalogs.get('en') ?? { language: 'en', entries: [] });

const idsAreUpToDate = (catalogs: ReadonlyMap<string, Catalog>): boolean =>
  existsSync(idsFile) && readFileSync(idsFile, 'utf8') === idsOf(catalogs);

/** Writes `ids.ts` anew from en.po; returns whether that changed it. */
export const writeIds = (catalogs: ReadonlyMap<string, Catalog>): boolean => writeIfNew(idsFile, idsOf(catalogs));

/** Leaves the compiled messages in `dist/messages/<language>.json`: id → what Lingui's core reads. Returns whether any changed. */
export function writeMessages(catalogs: ReadonlyMap<string, Catalog>): boolean {
  mkdirSync(target, { recursive: true });
  const files = [...catalogs].map(([language, { entries }]) => {
    const messages = Object.fromEntries(entries.map(({ id, text }) => [id, compileMessageOrThrow(text)]));
    return { file: inProject('dist', 'messages', `${language}.json`), content: JSON.stringify(messages) };
  });
  return files.map(({ file, content }) => writeIfNew(file, content)).includes(true);
}

/** Whoever watches a file is not woken for nothing. */
function writeIfNew(file: string, content: string): boolean {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return false;
  writeFileSync(file, content);
  return true;
}
