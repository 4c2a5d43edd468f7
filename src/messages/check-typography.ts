import type { LanguageCode } from '../contract/languages.ts';

type Rule = readonly [found: RegExp, problem: string];

/** Messages whose three dots the specification fixes, in English. */
const fixedDots = ['form.wait', 'sign_in.success'];

const dots: Rule = [/\.\.\./, 'has "..." where "…" belongs'];
const typewriterQuotes: Rule = [/"/, 'has typewriter quotes'];

/** A number, or what stands for one, and the noun that it counts stay on one line. */
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
  el: [otherQuotes('«»'), numberAndNoun, [/\?/, 'asks with "?": write ";"']],
  en: [otherQuotes('“”')],
  ru: [otherQuotes('«»'), numberAndNoun, spaceBeforeDash],
  es: [otherQuotes('«»'), [/^[^¿]*\?|^[^¡]*!/, 'opens no question or call with "¿" or "¡"']],
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
  /** One sentence that the message can become, its placeholders in braces, without tags. */
  readonly text: string;
}

/** What a typographer of the language would correct. */
export function typographyProblems(language: LanguageCode, { id, text }: Written): string[] {
  const common = language === 'en' && fixedDots.includes(id) ? [typewriterQuotes] : [dots, typewriterQuotes];
  return [...common, ...rules[language]].filter(([found]) => found.test(text)).map(([, problem]) => problem);
}
