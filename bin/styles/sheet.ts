/** One style sheet. */
export interface Sheet {
  /** From the project's folder, with `/` on every system. */
  readonly path: string;
  /** Classes of its selectors. */
  readonly classes: readonly string[];
  /** Custom properties that it gives a value, without their dashes. */
  readonly properties: readonly string[];
  /** Those that it reads. */
  readonly reads: readonly string[];
  /** Names of its `@keyframes`. */
  readonly keyframes: readonly string[];
  /** Names in its `animation` declarations, among other words. */
  readonly animations: readonly string[];
}

const all = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name as string)),
];

/** Reads what a style sheet names. */
export function readSheet(path: string, source: string): Sheet {
  const text = source.replace(/\/\*.*?\*\//gs, '').replace(/(["'])(?:\\.|(?!\1).)*\1/g, '""');
  // What precedes a brace: a selector, unless it begins with `@`.
  const selectors = all(text, /([^{};]+)\{/g).filter((prelude) => !prelude.trim().startsWith('@'));
  return {
    path,
    classes: all(selectors.join(' '), /\.([a-z][\w-]*)/gi),
    properties: all(text, /(?:^|[{;\s])--([\w-]+)\s*:/g),
    reads: readsOf(text),
    keyframes: all(text, /@keyframes\s+([\w-]+)/g),
    animations: all(all(text, /\banimation(?:-name)?\s*:([^;}]+)/g).join(' '), /([a-z][\w-]*)/gi),
  };
}

/** Custom properties that a text reads, be it a style sheet or a component's drawing. */
export const readsOf = (text: string): string[] => all(text, /var\(\s*--([\w-]+)/g);
