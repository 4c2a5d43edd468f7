import { defaultLanguage, type LanguageCode, languages } from '../contract/languages.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import { textProblems } from './check-text.ts';
import { type SameText, sameAsEnglish } from './same-as-english.ts';
import { wordsOf } from './tags.ts';

/** All problems of the catalogs, one line each: language, message and problem. */
export function catalogProblems(
  catalogs: ReadonlyMap<string, Catalog>,
  allowed: readonly SameText[] = sameAsEnglish,
): string[] {
  const english = catalogs.get(defaultLanguage);
  if (!english) return ['en: there is no en.po'];
  const known = new Set<string>(languages.map(({ code }) => code));
  const unknown = [...catalogs.keys()].filter((code) => !known.has(code));
  return [
    ...unknown.map((code) => `${code}: no such language in contract/languages.ts`),
    ...english.entries.filter(({ note }) => !note).map(({ id }) => `en ${id}: has no note for the translators`),
    ...languages.flatMap(({ code }) => {
      const catalog = catalogs.get(code);
      if (!catalog) return [`${code}: there is no ${code}.po`];
      const same = allowed.filter((text) => text.languages.includes(code)).map(({ id }) => id);
      return languageProblems(code, { catalog, english, same }).map((problem) => `${code} ${problem}`);
    }),
  ];
}

interface Compared {
  readonly catalog: Catalog;
  readonly english: Catalog;
  /** Messages that may equal the English ones. */
  readonly same: readonly string[];
}

function languageProblems(language: LanguageCode, { catalog, english, same }: Compared): string[] {
  const englishOf = new Map(english.entries.map((entry) => [entry.id, entry]));
  const header = catalog.language === language ? [] : [`header: "Language:" says "${catalog.language}"`];
  const texts = catalog.entries.flatMap((entry) => {
    const original = englishOf.get(entry.id);
    if (!original) return [];
    const problems =
      language !== defaultLanguage && readsAs(original, entry)
        ? sameProblems(entry, same)
        : textProblems(language, { entry, original });
    return problems.map((problem) => `${entry.id}: ${problem}`);
  });
  const stale = same.filter(
    (id) => !catalog.entries.some((entry) => entry.id === id && readsAs(englishOf.get(id), entry)),
  );
  return [
    ...header,
    ...keyProblems(catalog.entries, english.entries),
    ...texts,
    ...stale.map((id) => `${id}: differs from the English text, so remove it from same-as-english.ts`),
  ];
}

function keyProblems(entries: readonly CatalogEntry[], english: readonly CatalogEntry[]): string[] {
  const ids = entries.map(({ id }) => id);
  const wanted = english.map(({ id }) => id);
  const problems = [
    ...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id}: is duplicated`),
    ...wanted.filter((id) => !ids.includes(id)).map((id) => `${id}: is missing`),
    ...ids.filter((id) => !wanted.includes(id)).map((id) => `${id}: is not in en.po`),
  ];
  const misplaced = problems.length === 0 && ids.find((id, at) => id !== wanted[at]);
  return misplaced ? [`${misplaced}: is not in the position that it has in en.po`] : problems;
}

/** Equal, and with words: `{time}` alone is equal in every language. */
const readsAs = (original: CatalogEntry | undefined, entry: CatalogEntry): boolean =>
  entry.text === original?.text && /\p{L}/u.test(wordsOf(entry.text));

const sameProblems = (entry: CatalogEntry, same: readonly string[]): string[] =>
  same.includes(entry.id) ? [] : ['equals the English text; if that is right, say why in same-as-english.ts'];
