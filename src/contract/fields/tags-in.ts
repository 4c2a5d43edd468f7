import { trim } from './trim.ts';

/** Commas of all our scripts, and line breaks, which a pasted list has. */
const separators = /[,،、，;；\p{Cc}\p{Zl}\p{Zp}]+/u;

/** The tags in a text that separates them by commas: each once, however it is capitalized. */
export function tagsIn(text: string): string[] {
  const tags = new Map<string, string>();
  for (const part of text.normalize('NFC').split(separators)) {
    const tag = trim(part).replace(/\s+/gu, ' ');
    const key = tag.toLowerCase();
    if (tag !== '' && !tags.has(key)) tags.set(key, tag);
  }
  return [...tags.values()];
}
