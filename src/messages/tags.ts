const pair = /<(\w+)>(.*?)<\/\1>/g;

/** The names of the tags in a text, in alphabetical order, as one string. */
export const tagsOf = (text: string): string =>
  [...text.matchAll(pair)]
    .map((match) => `<${match[1]}>`)
    .sort()
    .join(' ');

/**
 * Checks that a text can be split at its tags as `browser/language/text.tsx` does: pairs that are neither nested nor
 * empty.
 */
export function tagProblems(text: string): string[] {
  const inner = [...text.matchAll(pair)].map((match) => match[2] as string);
  const problems = inner.some((words) => words.trim() === '') ? ['has nothing between two tags'] : [];
  if (/[<>]/.test(inner.join('') + text.replace(pair, '')))
    problems.push('has a "<" or ">" that is not part of a pair of tags');
  return problems;
}

/** The text without tags, but with its placeholders. */
export const withoutTags = (text: string): string => text.replace(/<\/?\w+>/g, '');

/** The text alone: what a reader sees, without placeholders and tags. */
export const wordsOf = (text: string): string => text.replace(/<\/?\w+>|\{\w+\}/g, ' ').trim();
