import { type Replacements, readDocument, withoutExamples } from '../fixtures/documented.ts';

/** The only block of docs/integrate.md in a language, with its example values replaced. Throws if anything is missing. */
export function blockOf(language: string, replacements: Replacements): string {
  const blocks = [...readDocument('integrate.md').matchAll(/^```(\w+)\n(.*?)^```$/gms)];
  const [found, another] = blocks.filter(([, name]) => name === language);
  const block = found?.[2];
  if (block === undefined || another) throw new Error(`docs/integrate.md needs exactly one block of ${language}`);
  return withoutExamples(block, replacements);
}
