import { expect, test } from 'vitest';
import { languages } from '../../src/contract/languages.ts';
import { type Catalog, readCatalog } from '../../src/messages/catalog.ts';
import { withEnglish } from './messages.ts';

const catalogOf = (language: string, texts: Readonly<Record<string, string>>): [string, Catalog] => {
  const entries = Object.entries(texts).map(([id, text]) => `msgid "${id}"\nmsgstr "${text}"\n`);
  return [language, readCatalog(`msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n\n${entries.join('\n')}`)];
};

const english = { 'form.send': 'Send', 'form.title': 'Your {name}' };

test.each([
  ['is translated', { 'form.send': 'Senden', 'form.title': 'Ihr {name}' }, ['Senden', 'Ihr {name}']],
  ['is missing', { 'form.send': 'Senden' }, ['Senden', 'Your {name}']],
  ['is empty', { 'form.send': '', 'form.title': 'Ihr {name}' }, ['Send', 'Ihr {name}']],
  ['is invalid', { 'form.send': 'Senden', 'form.title': 'Ihr {name' }, ['Senden', 'Your {name}']],
  [
    'does not exist in English',
    { 'form.send': 'Senden', 'form.title': 'Ihr {name}', 'form.old': 'Alt' },
    ['Senden', 'Ihr {name}'],
  ],
])('if a text %s, the language uses its own text or the English one', (_sentence, german, texts) => {
  const complete = withEnglish(new Map([catalogOf('en', english), catalogOf('de', german)]));
  expect(complete.get('de')?.entries.map(({ text }) => text)).toEqual(texts);
});

test('a language without a catalog uses English', () => {
  const complete = withEnglish(new Map([catalogOf('en', english)]));
  expect([...complete.keys()]).toEqual(languages.map(({ code }) => code));
  expect(complete.get('ja')?.entries).toEqual(complete.get('en')?.entries);
});
