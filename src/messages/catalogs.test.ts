import { describe, expect, it } from 'vitest';
import { languages } from '../contract/languages.ts';
import { type Catalog, idsSource, readCatalog } from './catalog.ts';
import { catalogProblems } from './check-catalogs.ts';

const english = `
#. A note.
msgid "form.minutes"
msgstr "Wait {minutes, plural, one {# minute} other {# minutes}} for <help>help</help>, {name}"

#. A note.
msgid "form.send"
msgstr "Send"
`;

const header = (language: string) => `msgid ""\nmsgstr ""\n"Language: ${language}\\n"\n`;
const german = `
msgid "form.minutes"
msgstr "Warten Sie {minutes, plural, one {#\u00a0Minute} other {#\u00a0Minuten}} auf <help>Hilfe</help>, {name}"

msgid "form.send"
msgstr "Senden"
`;
const sentence = (text: string) => german.replace(/"Warten.*"/, `"${text}"`);
const minutes = '{minutes, plural, one {#\u00a0Minute} other {#\u00a0Minuten}}';

/** The check's findings about one language, beside a correct English catalog. */
function problemsOf(language: string, content: string, allowed: Parameters<typeof catalogProblems>[1] = []): string[] {
  const catalogs = new Map([
    ['en', readCatalog(header('en') + english)],
    [language, readCatalog(header(language) + content)],
  ]);
  const problems = catalogProblems(catalogs, allowed).filter((problem) => !/there is no \w+\.po/.test(problem));
  return problems.map((problem) => problem.replace(`${language} `, ''));
}

describe('the check of a catalog', () => {
  it('accepts a correct one', () => expect(problemsOf('de', german)).toEqual([]));

  it('refuses a message with two texts, as a merge leaves them', () => {
    const doubled = german.replace('msgstr "Senden"', 'msgstr "Senden"\nmsgstr "Los"');
    expect(() => problemsOf('de', doubled)).toThrow('a second text of the same message: msgstr "Los"');
  });

  const bad: [sentence: string, content: string, problem: string][] = [
    ['a missing message', german.replace(/\nmsgid "form.send"[\s\S]*/, ''), 'form.send: is missing'],
    [
      'a message that English does not have',
      `${german}\nmsgid "form.more"\nmsgstr "Mehr"\n`,
      'form.more: is not in en.po',
    ],
    ['a duplicate message', `${german}\nmsgid "form.send"\nmsgstr "Los"\n`, 'form.send: is duplicated'],
    ['an empty text', german.replace('Senden', ''), 'form.send: has no text'],
    [
      'a fuzzy text',
      german.replace('msgid "form.send"', '#, fuzzy\nmsgid "form.send"'),
      'form.send: is marked as unfinished',
    ],
    ['untranslated English', german.replace('Senden', 'Send'), 'form.send: equals the English text'],
    ['an apostrophe that ICU reads as a quote', german.replace('Senden', "Senden'"), "form.send: has an apostrophe '"],
    ['a space at the end', german.replace('Senden', 'Senden '), 'form.send: begins or ends with a space'],
    ['two spaces', german.replace('Senden', 'Jetzt  senden'), 'form.send: has two spaces'],
    ['broken braces', sentence('Warten Sie {minutes auf <help>Hilfe</help>, {name}'), 'form.minutes: cannot be read'],
    [
      'a lost placeholder',
      sentence(`Warten Sie ${minutes} auf <help>Hilfe</help>`),
      'the placeholder {name} is missing',
    ],
    [
      'a translated placeholder',
      sentence(`Warten Sie ${minutes} auf <help>Hilfe</help>, {Name}`),
      'the placeholder {Name} is not in the English text',
    ],
    [
      'a placeholder without its kind',
      sentence('Warten Sie {minutes} auf <help>Hilfe</help>, {name}'),
      'the placeholder {minutes, plural} is missing',
    ],
    [
      'a placeholder that is missing in one form',
      sentence(
        'Warten Sie {minutes, plural, one {#\u00a0Minute, {name},} other {#\u00a0Minuten}} auf <help>Hilfe</help>',
      ),
      'does not contain {name} (minutes other)',
    ],
    ['a lost tag', sentence(`Warten Sie ${minutes} auf Hilfe, {name}`), 'has the tags "" where English has "<help>"'],
    [
      'a translated tag',
      sentence(`Warten Sie ${minutes} auf <hilfe>Hilfe</hilfe>, {name}`),
      'has the tags "<hilfe>" where English has "<help>"',
    ],
    ['an open tag', sentence(`Warten Sie ${minutes} auf <help>Hilfe, {name}`), 'not part of a pair of tags'],
    ['an empty tag', sentence(`Warten Sie ${minutes} auf <help></help>Hilfe, {name}`), 'has nothing between two tags'],
    [
      'a missing plural form',
      sentence('Warten Sie {minutes, plural, other {#\u00a0Minuten}} auf <help>Hilfe</help>, {name}'),
      'has the forms "other", but the language needs "one other"',
    ],
    ['letters of another script', german.replace('Senden', 'Send\u0435n'), 'form.send: has letters of another script'],
  ];
  it.each(bad)('finds %s', (_sentence, content, problem) => {
    expect(problemsOf('de', content).join('\n')).toContain(problem);
  });

  it('finds messages in another order', () => {
    const [first = '', second = ''] = german.trim().split('\n\n');
    expect(problemsOf('de', `\n${second}\n\n${first}\n`)).toEqual([
      'form.send: is not in the position that it has in en.po',
    ]);
  });

  it('finds a file whose header names another language', () => {
    expect(problemsOf('nl', german).join()).not.toContain('header');
    const catalogs = new Map([['en', readCatalog(header('de') + english)]]);
    expect(catalogProblems(catalogs, []).join('\n')).toContain('en header: "Language:" says "de"');
  });

  it('requires a note on every English message', () => {
    const catalogs = new Map([
      ['en', readCatalog(header('en') + english.replace('#. A note.\nmsgid "form.send"', 'msgid "form.send"'))],
    ]);
    expect(catalogProblems(catalogs, []).join('\n')).toContain('en form.send: has no note');
  });

  it('requires exactly the languages of the product', () => {
    const catalogs = new Map([
      ['en', readCatalog(header('en') + english)],
      ['xx', readCatalog(header('xx') + german)],
    ]);
    const problems = catalogProblems(catalogs, []);
    expect(problems).toContain('xx: no such language in contract/languages.ts');
    expect(problems.filter((problem) => /there is no \w+\.po/.test(problem))).toHaveLength(languages.length - 1);
  });

  it('requires the plural forms of each language, and the number in a form for several numbers', () => {
    const russian = (one: string) => `
msgid "form.minutes"
msgstr "Подождите {minutes, plural, one {${one}} few {#\u00a0минуты} many {#\u00a0минут} other {#\u00a0минуты}}, <help>помощь</help>, {name}"

msgid "form.send"
msgstr "Отправить"
`;
    expect(problemsOf('ru', russian('#\u00a0минуту'))).toEqual([]);
    expect(problemsOf('ru', russian('минуту'))).toEqual([
      expect.stringContaining('the form "one" covers several numbers'),
    ]);
    expect(problemsOf('ru', russian('#\u00a0мин\u0443т\u0079'))).toEqual([expect.stringContaining('mixes alphabets')]);
    expect(problemsOf('ru', german).join('\n')).toContain('has no letter of its language’s script');
  });

  it('finds stale entries in the list of texts that may equal the English ones', () => {
    const same = [{ id: 'form.send', languages: ['de' as const], why: 'a test' }];
    expect(problemsOf('de', german.replace('Senden', 'Send'), same)).toEqual([]);
    expect(problemsOf('de', german, same)).toEqual([
      'form.send: differs from the English text, so remove it from sameAsEnglish',
    ]);
  });
});

it('writes the ids as a type', () => {
  const catalog: Catalog = {
    language: 'en',
    entries: [{ id: 'form.send', text: 'Send', note: 'A note.', unfinished: false }],
  };
  expect(idsSource(catalog)).toContain("export type MessageId =\n  | 'form.send';\n");
});
