import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { type LanguageCode, languages } from '../contract/languages.ts';
import { type Catalog, idsSource, readCatalog } from './catalog.ts';
import { catalogProblems, typographyProblems } from './check-catalogs.ts';
import type { MessageId } from './ids.ts';

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

const typographyProblemsOf = (language: LanguageCode, text: string, id = 'form.send') =>
  typographyProblems(language, { id, text });

it.each<[language: LanguageCode, bad: string, good: string]>([
  ['de', 'Wird geladen...', 'Wird geladen\u00a0…'],
  ['de', 'Wird geladen…', 'Wird geladen\u00a0…'],
  ['de', 'Das Feld “Name”', 'Das Feld „Name“'],
  ['de', 'Noch # Versuche', 'Noch #\u00a0Versuche'],
  ['el', 'Ξεχάσατε τον κωδικό;?', 'Ξεχάσατε τον κωδικό;'],
  ['ru', 'Следующий шаг — компьютеры', 'Следующий шаг\u00a0— компьютеры'],
  ['ru', 'Введите 4 цифры', 'Введите 4\u00a0цифры'],
  ['uk', 'Папка „Спам“', 'Папка «Спам»'],
  ['cs', 'Přihlášení k účtu', 'Přihlášení k\u00a0účtu'],
  ['pl', 'Logowanie w serwisie', 'Logowanie w\u00a0serwisie'],
  ['pl', 'Proszę odebrać – podyktujemy', 'Proszę odebrać\u00a0– podyktujemy'],
  ['fr', 'Mot de passe oublié ?', 'Mot de passe oublié\u202f?'],
  ['fr', 'Erreur : {title}', 'Erreur\u00a0: {title}'],
  ['es', 'Olvidó su contraseña?', '¿Olvidó su contraseña?'],
  ['ar', 'نسيت كلمة المرور?', 'نسيت كلمة المرور؟'],
  ['ja', '{label}(任意)', '{label}（任意）'],
  ['ja', 'エラー:{title}', 'エラー：{title}'],
  ['zh', '{label}(选填)', '{label}（选填）'],
  ['zh', '忘记密码?', '忘记密码？'],
  ['hu', 'A “Név” mező', 'A „Név” mező'],
])('in %s, "%s" is wrong and "%s" is right', (language, bad, good) => {
  expect(typographyProblemsOf(language, bad)).not.toEqual([]);
  expect(typographyProblemsOf(language, good)).toEqual([]);
});

it('only the English texts that the specification fixes may have three dots', () => {
  expect(typographyProblemsOf('en', 'Please, wait...', 'form.wait')).toEqual([]);
  expect(typographyProblemsOf('en', 'Loading...', 'frame.loading')).toEqual(['has "..." where "…" belongs']);
  expect(typographyProblemsOf('nl', 'Een ogenblik geduld...', 'form.wait')).toEqual(['has "..." where "…" belongs']);
});

/** The English texts that the specification fixes, word for word, including its spelling. */
const specified: Partial<Record<MessageId, string>> = {
  'sign_in.title': 'Welcome Back',
  'sign_in.method': 'Sign In with Email',
  'sign_in.submit': 'Login',
  'sign_in.forgot': 'Forgot password',
  'sign_in.success': 'Success! Getting data...',
  'register.title': 'Create a free account',
  'register.success': 'Account successfully created',
  'recovery.title': 'Password Recovery',
  'recovery.sent_title': 'Check your email',
  'reset.title': 'Set a new password',
  'label.name': 'Your Name',
  'label.phone': 'Phone number',
  'label.organization': 'Organization',
  'label.inn': 'INN',
  'label.promo_code': 'Promo code',
  'label.password_new': 'Enter new password',
  'label.password_verify': 'Verify your password',
  'phone.confirmed': 'Confirmed',
  'phone.confirmed_long': 'Phone successfully confirmed',
  'form.wait': 'Please, wait...',
  'invalid.required': 'Field cannot be empty',
  'invalid.too_long': 'The field must contain less than 180 characters',
  'invalid.too_short': 'Fields must contain at least 6 characters',
  'invalid.digits_only': 'There should only be numbers',
  'invalid.email_invalid': 'Please enter a valid e-mail address',
  'invalid.email_required': 'E-mail Field cannot be empty',
  'invalid.password_required': 'Password Field cannot be empty',
  'invalid.password_too_short':
    'The password must contain at least {min, plural, one {# character} other {# characters}}',
  'invalid.passwords_differ': 'The passwords don’t match',
  'invalid.phone_invalid': 'Check that the phone number is correct',
  'failure.not_found': 'Resource not found',
  'failure.server_error': 'Server error',
  'failure.unknown': 'An error occurred',
  'failure.email_cannot_be_used': 'This email cannot be used. Please try another one.',
  'failure.account_not_found': 'Account does not exists',
  'failure.incorrect_password': 'Incorrect password',
  'failure.incorrect_login_or_password': 'Incorrect login or password',
  'failure.too_many_attempts':
    'Too many login attempts. Please try again in {minutes, plural, one {# minute} other {# minutes}}.',
  'failure.try_again_later': 'An error has occurred. Please try again later.',
  'failure.account_exists': 'An account with this email already exists.',
  'failure.reset_link_invalid': 'Your reset link is no longer valid. Please request a new one.',
  'not_found.path': 'Page Not Found: {path}',
};

test('the English texts that the specification fixes are unchanged', () => {
  const { entries } = readCatalog(readFileSync(new URL('./en.po', import.meta.url), 'utf8'));
  const texts = Object.fromEntries(entries.map(({ id, text }) => [id, text]));
  expect(texts).toMatchObject(specified);
});
