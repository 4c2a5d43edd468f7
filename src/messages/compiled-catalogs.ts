import { readFile } from 'node:fs/promises';
import { type I18n, type Messages, setupI18n } from '@lingui/core';
import { type LanguageCode, localeOf } from '../contract/languages.ts';

/** Compiled messages from the build: `<language>.json`, message id → the form that Lingui's core reads. */
const compiledMessages = new URL('../../dist/messages/', import.meta.url);

let changes = 0;

/** Makes every catalog reload when it is next needed, after a developer changed a text. */
export function forgetCatalogs(): void {
  changes += 1;
}

/** Opens the messages of each language. Each file is read when we compose the first email in its language. */
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
    // The next email retries a file that could not be read.
    opening.catch(() => opened.delete(language));
    return opening;
  };
}

async function openCatalog(file: URL, language: LanguageCode): Promise<I18n> {
  const messages = JSON.parse(await readFile(file, 'utf8')) as Messages;
  return setupI18n({
    locale: language,
    locales: [`${localeOf(language)}-u-nu-latn`],
    messages: { [language]: messages },
    missing(_, id) {
      throw new Error(`The ${language} catalog has no message "${id}"`);
    },
  });
}
