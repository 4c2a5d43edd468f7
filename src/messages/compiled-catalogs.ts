import { readFile } from 'node:fs/promises';
import { type I18n, type Messages, setupI18n } from '@lingui/core';
import { type LanguageCode, languageOf } from '../contract/languages.ts';

/** Where the build leaves the compiled messages: `<language>.json`, message id → what Lingui's core reads. */
const compiledMessages = new URL('../../dist/messages/', import.meta.url);

let changes = 0;

/** Has every catalog read again when it is next needed: a developer has changed a text. */
export function forgetCatalogs(): void {
  changes += 1;
}

/** Every language's messages, each read from disk when the first mail in it is written. */
export function openCatalogs(folder: URL = compiledMessages): (language: LanguageCode) => Promise<I18n> {
  const opened = new Map<LanguageCode, Promise<I18n>>();
  let seen = changes;
  return (language) => {
    if (seen !== changes) opened.clear();
    seen = changes;
    const known = opened.get(language);
    if (known) return known;
    const opening = openCatalog(new URL(`${language}.json`, folder), language);
    opened.set(language, opening);
    // One that could not be read is tried again by the next mail.
    opening.catch(() => opened.delete(language));
    return opening;
  };
}

async function openCatalog(file: URL, language: LanguageCode): Promise<I18n> {
  const messages = JSON.parse(await readFile(file, 'utf8')) as Messages;
  return setupI18n({
    locale: language,
    locales: [`${languageOf(language).tag}-u-nu-latn`],
    messages: { [language]: messages },
    missing(_, id) {
      throw new Error(`There is no message "${id}" in ${language}`);
    },
  });
}
