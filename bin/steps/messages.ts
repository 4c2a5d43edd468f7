import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  readFileSync(idsFile, 'utf8') === idsOf(catalogs);

/** Writes `ids.ts` anew from en.po. */
export const writeIds = (catalogs: ReadonlyMap<string, Catalog>): void => writeFileSync(idsFile, idsOf(catalogs));

/** Leaves the compiled messages in `dist/messages/<language>.json`: id → what Lingui's core reads. */
export function writeMessages(catalogs: ReadonlyMap<string, Catalog>): void {
  mkdirSync(target, { recursive: true });
  for (const [language, { entries }] of catalogs) {
    const messages = Object.fromEntries(entries.map(({ id, text }) => [id, compileMessageOrThrow(text)]));
    writeFileSync(inProject('dist', 'messages', `${language}.json`), JSON.stringify(messages));
  }
}
