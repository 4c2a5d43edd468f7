import type { LanguageCode } from '../contract/languages.ts';

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
export function letterProblems(language: LanguageCode, text: string): string[] {
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
