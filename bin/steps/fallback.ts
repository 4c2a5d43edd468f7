import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { defaultLanguage, languages } from '../../src/contract/languages.ts';
import type { Catalog, CatalogEntry } from '../../src/messages/catalog.ts';

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
