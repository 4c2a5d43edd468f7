import type { LanguageCode } from '../contract/languages.ts';

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
