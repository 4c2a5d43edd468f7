/** One style sheet. */
export interface Sheet {
  /** Relative to the project's folder, with `/` on every system. */
  readonly path: string;
  /** The classes in its selectors. */
  readonly classes: readonly string[];
  /** The custom properties that it defines, without the dashes. */
  readonly properties: readonly string[];
  /** The custom properties that it reads. */
  readonly reads: readonly string[];
  /** The names of its `@keyframes`. */
  readonly keyframes: readonly string[];
  /** The words in its `animation` declarations, which include names of keyframes. */
  readonly animations: readonly string[];
}

const all = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name]) => name as string)),
];

/** Extracts the names in a style sheet. */
export function readSheet(path: string, source: string): Sheet {
  const text = source.replace(/\/\*.*?\*\//gs, '').replace(/(["'])(?:\\.|(?!\1).)*\1/g, '""');
  // The text before a brace is a selector, unless it starts with `@`.
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

/** The custom properties that a text reads, such as a style sheet or the SVG of a component. */
export const readsOf = (text: string): string[] => all(text, /var\(\s*--([\w-]+)/g);
