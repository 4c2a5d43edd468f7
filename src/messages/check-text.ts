import { type CompiledMessage, compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { type LanguageCode, languageOf } from '../contract/languages.ts';
import type { CatalogEntry } from './catalog.ts';
import { typographyProblems } from './check-typography.ts';
import { choiceProblems, unsaidNumberProblems } from './plurals.ts';
import { letterProblems } from './scripts.ts';
import { tagProblems, tagsOf, withoutTags, wordsOf } from './tags.ts';
import { choicesOf, type Variant, variantsOf } from './variants.ts';

interface Translated {
  readonly entry: CatalogEntry;
  /** The English entry. */
  readonly original: CatalogEntry;
}

/** All problems of one text. */
export function textProblems(language: LanguageCode, { entry, original }: Translated): string[] {
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
