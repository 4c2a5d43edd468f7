import { type CompiledMessage, compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { defaultLanguage, type LanguageCode, languageOf, languages } from '../contract/languages.ts';
import {
  type Catalog,
  type CatalogEntry,
  choiceProblems,
  choicesOf,
  tagProblems,
  tagsOf,
  unsaidNumberProblems,
  type Variant,
  variantsOf,
  withoutTags,
  wordsOf,
} from './catalog.ts';

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
    ...stale.map((id) => `${id}: differs from the English text, so remove it from sameAsEnglish`),
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
  same.includes(entry.id) ? [] : ['equals the English text; if that is right, say why in sameAsEnglish'];

interface Translated {
  readonly entry: CatalogEntry;
  /** The English entry. */
  readonly original: CatalogEntry;
}

function textProblems(language: LanguageCode, { entry, original }: Translated): string[] {
  if (entry.text === '') return ['has no text'];
  const problems = entry.unfinished ? ['is marked as unfinished'] : [];
  if (entry.text.includes("'")) problems.push("has an apostrophe ', which starts a quote in ICU messages: write ’");
  if (entry.text !== entry.text.trim()) problems.push('begins or ends with a space');
  if (/\s\s|[\n\t]/.test(entry.text)) problems.push('has two spaces or a line break');
  const message = compiled(entry.text);
  const wanted = compiled(original.text);
  if (typeof message === 'string') return [...problems, `cannot be read: ${message}`];
  if (typeof wanted === 'string') return problems;
  const variants = variantsOf(message);
  return [
    ...problems,
    ...choiceProblems(languageOf(language).tag, { choices: choicesOf(message), english: choicesOf(wanted) }),
    ...unsaidNumberProblems(languageOf(language).tag, variants),
    ...argumentProblems(message, wanted),
    ...new Set(
      variants.flatMap((variant) => variantProblems(language, { id: entry.id, variant, english: variantsOf(wanted) })),
    ),
  ];
}

function compiled(text: string): CompiledMessage | string {
  try {
    return compileMessageOrThrow(text);
  } catch (error) {
    return (error as Error).message.split('\n')[0] as string;
  }
}

const placeholdersOf = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))];

/** Placeholders by name and kind: `{min, plural}` in English is `{min, plural}` everywhere. */
function argumentProblems(message: CompiledMessage, wanted: CompiledMessage): string[] {
  const named = (of: CompiledMessage) => [
    ...choicesOf(of).map(({ argument, type }) => `{${argument}, ${type}}`),
    ...variantsOf(of).flatMap(({ text }) => placeholdersOf(text)),
  ];
  const [found, needed] = [new Set(named(message)), new Set(named(wanted))];
  return [
    ...[...needed].filter((name) => !found.has(name)).map((name) => `the placeholder ${name} is missing`),
    ...[...found]
      .filter((name) => !needed.has(name))
      .map((name) => `the placeholder ${name} is not in the English text`),
  ];
}

interface ComparedVariants {
  readonly id: string;
  readonly variant: Variant;
  readonly english: readonly Variant[];
}

function variantProblems(language: LanguageCode, { id, variant, english }: ComparedVariants): string[] {
  const { text, choices } = variant;
  const where = choices.length > 0 ? ` (${choices.join(', ')})` : '';
  const lost = placeholdersOf(english[0]?.text ?? '').filter(
    (name) => english.every((original) => original.text.includes(name)) && !text.includes(name),
  );
  const wantedTags = tagsOf(english[0]?.text ?? '');
  const problems = [...tagProblems(text), ...letterProblems(language, wordsOf(text))];
  if (text.trim() === '') problems.push('is empty');
  if (tagsOf(text) !== wantedTags) problems.push(`has the tags "${tagsOf(text)}" where English has "${wantedTags}"`);
  problems.push(...typographyProblems(language, { id, text: withoutTags(text) }));
  problems.push(...lost.map((name) => `does not contain ${name}`));
  return problems.map((problem) => problem + where);
}

type Rule = readonly [found: RegExp, problem: string];

/** English messages whose three dots the specification fixes. */
const fixedDots = ['form.wait', 'sign_in.success'];

const dots: Rule = [/\.\.\./, 'has "..." where "…" belongs'];
const typewriterQuotes: Rule = [/"/, 'has typewriter quotes'];

/** A number, or its placeholder, stays on one line with its noun. */
const numberAndNoun: Rule = [/(?<![\p{L}\d.])(?:\d+|#) \p{L}/u, 'needs U+00A0 between a number and its noun'];
const spaceBeforeDash: Rule = [/ [—–]/, 'needs U+00A0 before a dash'];
const oneLetterWord = (words: string): Rule => [
  new RegExp(`(?<![\\p{L}\\p{N}’-])[${words}] \\S`, 'iu'),
  'needs U+00A0 after a word of one letter',
];
const fullWidth: Rule = [
  /[()]|[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}]\s*[,;:?!]|[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}]\./u,
  'has half-width punctuation',
];
const otherQuotes = (used: string): Rule => [
  new RegExp(`[${[...'«»„“”‘‹›「」『』'].filter((sign) => !used.includes(sign)).join('')}]`),
  `has quotes of another language: write ${used.slice(0, 1)}…${used.slice(1)}`,
];

const rules: Record<LanguageCode, readonly Rule[]> = {
  ar: [otherQuotes('«»'), [/[,;?]/, 'has Latin punctuation: write ، ؛ ؟']],
  cs: [otherQuotes('„“'), numberAndNoun, oneLetterWord('aikosuvz')],
  de: [otherQuotes('„“'), numberAndNoun, [/\p{L}…| …/u, 'needs U+00A0 before "…", which stands for words']],
  el: [otherQuotes('«»'), numberAndNoun, [/\?/, 'ends a question with "?": write ";"']],
  en: [otherQuotes('“”')],
  ru: [otherQuotes('«»'), numberAndNoun, spaceBeforeDash],
  es: [otherQuotes('«»'), [/^[^¿]*\?|^[^¡]*!/, 'does not open a question or exclamation with "¿" or "¡"']],
  fr: [
    otherQuotes('«»'),
    numberAndNoun,
    [
      /[^\u202f][;?!]|[^\u00a0]:(?!\/)|«[^\u00a0]|[^\u00a0]»/,
      'needs U+202F before ; ? !, and U+00A0 before : and in « »',
    ],
  ],
  hu: [otherQuotes('„”')],
  it: [otherQuotes('«»')],
  ja: [otherQuotes('「」'), fullWidth],
  nl: [otherQuotes('‘’')],
  pl: [otherQuotes('„”'), numberAndNoun, spaceBeforeDash, oneLetterWord('aiouwz')],
  pt: [otherQuotes('“”')],
  ro: [otherQuotes('„”')],
  tr: [otherQuotes('“”')],
  uk: [otherQuotes('«»'), numberAndNoun, spaceBeforeDash],
  zh: [otherQuotes('“”'), fullWidth],
};

interface Written {
  readonly id: string;
  /** One sentence that the message can become, with placeholders in braces and without tags. */
  readonly text: string;
}

/** Problems that a typographer of the language would correct. */
export function typographyProblems(language: LanguageCode, { id, text }: Written): string[] {
  const common = language === 'en' && fixedDots.includes(id) ? [typewriterQuotes] : [dots, typewriterQuotes];
  return [...common, ...rules[language]].filter(([found]) => found.test(text)).map(([, problem]) => problem);
}

/** A text that is right although it equals the English one. */
interface SameText {
  readonly id: string;
  readonly languages: readonly LanguageCode[];
  readonly why: string;
}

const allOthers = languages.map(({ code }) => code).filter((code) => code !== defaultLanguage);

const sameAsEnglish: readonly SameText[] = [
  {
    id: 'label.inn',
    languages: ['cs', 'de', 'es', 'fr', 'hu', 'it', 'ja', 'nl', 'pl', 'pt', 'zh'],
    why: 'the Russian number is known by these letters wherever people do not write Cyrillic',
  },
  { id: 'incidents.telegram', languages: allOthers, why: 'a name' },
  { id: 'channels.webhook', languages: allOthers, why: 'a term of programmers' },
  { id: 'mail.detail.passkey', languages: ['de', 'it'], why: 'the usual word' },
  { id: 'label.password', languages: ['it'], why: 'the usual word' },
  { id: 'frame.optional', languages: ['de'], why: 'the same word' },
  { id: 'dashboard.page', languages: ['de', 'it', 'nl'], why: 'the usual word for such a page' },
  { id: 'form.error_title', languages: ['es'], why: 'the same word' },
  { id: 'notifications.page', languages: ['fr'], why: 'the same word' },
  { id: 'account_privacy.page', languages: ['it', 'nl'], why: 'the usual word' },
  { id: 'account.page', languages: ['it', 'nl'], why: 'the usual word' },
  { id: 'account_frame.open', languages: ['fr', 'it', 'nl', 'pl', 'pt'], why: 'the usual word for such a button' },
  { id: 'device.disk', languages: ['cs', 'tr'], why: 'the same word' },
  { id: 'device.version', languages: ['cs', 'de', 'fr', 'nl', 'pl', 'ro'], why: 'the same word' },
  { id: 'security.passkeys', languages: ['de'], why: 'the name of these keys on all systems' },
  { id: 'devices.state', languages: ['de', 'nl', 'pt'], why: 'the same word' },
  { id: 'devices.system', languages: ['pl'], why: 'the same word' },
  { id: 'records.filters', languages: ['nl'], why: 'the same word' },
  { id: 'going_on.by_passkey', languages: ['de', 'it'], why: 'the usual word' },
  { id: 'incidents.note', languages: ['fr'], why: 'the same word' },
  { id: 'account_sessions.page', languages: ['fr'], why: 'the same word' },
  { id: 'computers_add.downloads', languages: ['de', 'nl', 'pt'], why: 'the usual word' },
  { id: 'console.role_support', languages: ['de'], why: 'the usual word' },
  { id: 'console_service.page', languages: ['fr'], why: 'the same word' },
  { id: 'console_service.applications', languages: ['de', 'nl', 'pt'], why: 'the usual word' },
  { id: 'console_service.webhooks', languages: ['de', 'es', 'fr', 'nl', 'pt'], why: 'a term of programmers' },
  { id: 'console.name', languages: ['fr', 'it', 'nl', 'pt'], why: 'the same word' },
  { id: 'console_person.page', languages: ['de'], why: 'the same word' },
  { id: 'console_operators.role', languages: ['cs'], why: 'the same word' },
  { id: 'console_act.name', languages: ['de'], why: 'the same word' },
];

const latin = /\p{scx=Latn}/u;
const scripts: Partial<Record<LanguageCode, RegExp>> = {
  ar: /\p{scx=Arab}/u,
  el: /\p{scx=Grek}/u,
  ru: /\p{scx=Cyrl}/u,
  uk: /\p{scx=Cyrl}/u,
  ja: /[\p{scx=Hira}\p{scx=Kana}\p{scx=Hani}]/u,
  zh: /\p{scx=Hani}/u,
};

/** Matches a letter of the script of a language. */
const scriptOf = (language: LanguageCode): RegExp => scripts[language] ?? latin;

const letter = /\p{L}/u;
const lookAlikes = /\p{L}+/gu;
const european = [latin, /\p{scx=Cyrl}/u, /\p{scx=Grek}/u];

/** Problems with the letters of a text that has no placeholders or tags. */
function letterProblems(language: LanguageCode, text: string): string[] {
  const letters = [...text].filter((character) => letter.test(character));
  if (letters.length === 0) return [];
  const script = scriptOf(language);
  const problems: string[] = [];
  if (!letters.some((character) => script.test(character))) problems.push('has no letter of its language’s script');
  const foreign = letters.filter((character) => !script.test(character) && !latin.test(character));
  if (foreign.length > 0) problems.push(`has letters of another script: ${foreign.join(' ')}`);
  for (const word of text.match(lookAlikes) ?? []) {
    // A Latin "o" inside a Cyrillic word looks right, but breaks every search.
    if (european.filter((alphabet) => [...word].some((character) => alphabet.test(character))).length > 1)
      problems.push(`mixes alphabets in the word "${word}"`);
  }
  if (/[^\P{Nd}0-9]/u.test(text)) problems.push('has digits other than 0 to 9');
  return problems;
}
