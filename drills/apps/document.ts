import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../fixtures/environment.ts';

/**
 * The only block of docs/integrate.md in a language, with the document's example values replaced. Throws when the
 * block or a value is missing, so that a scene always runs the text that people copy.
 */
export function blockOf(language: string, replacements: Readonly<Record<string, string>>): string {
  const document = readFileSync(join(project, 'docs', 'integrate.md'), 'utf8');
  const [found, another] = [...document.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, name]) => name === language);
  const block = found?.[2];
  if (block === undefined || another) throw new Error(`docs/integrate.md needs exactly one block of ${language}`);
  return Object.entries(replacements).reduce((text, [example, actual]) => {
    if (!text.includes(example)) throw new Error(`the block of ${language} in docs/integrate.md lacks: ${example}`);
    return text.replaceAll(example, actual);
  }, block);
}
