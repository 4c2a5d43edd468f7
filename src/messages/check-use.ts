/** A file of ours that may speak of messages. */
export interface SourceFile {
  readonly path: string;
  readonly content: string;
}

export interface Uses {
  readonly sources: readonly SourceFile[];
  /** What names the messages that a page carries; that alone is no use of them. */
  readonly lists: readonly SourceFile[];
}

const literal = /(['"`])([a-z_]+(?:\.[a-z0-9_]+)+)\1/g;
const template = /`([a-z0-9_.]*)\$\{[^}`]+\}([a-z0-9_.]*)`/g;
const wildcard = /'([a-z_]+(?:\.[a-z0-9_]+)*)\.\*'/g;

const escaped = (text: string) => text.replaceAll('.', '\\.');

/**
 * Messages that no source names, and names in the sources that no message has. A template such as
 * `invalid.${code}` names every message of its form; `'mail.*'` (a page's list) has to fit at least one.
 */
export function problemsOfUse(ids: readonly string[], { sources, lists }: Uses): string[] {
  const named = new Set(sources.flatMap(({ content }) => namesIn(content)));
  const forms = sources.flatMap(({ content }) => formsIn(content));
  const unused = ids.filter((id) => !named.has(id) && !forms.some((form) => form.test(id)));
  return [
    ...[...sources, ...lists].flatMap((source) => unknownNames(source, ids)),
    ...unused.map((id) => `en ${id}: no source uses it`),
  ];
}

const namesIn = (content: string): string[] => [...content.matchAll(literal)].map(([, , id = '']) => id);

const formsIn = (content: string): RegExp[] =>
  [...content.matchAll(template)]
    .filter(([, start, end]) => `${start}${end}`.includes('.'))
    .map(([, start = '', end = '']) => new RegExp(`^${escaped(start)}[a-z0-9_.]+${escaped(end)}$`));

function unknownNames({ path, content }: SourceFile, ids: readonly string[]): string[] {
  const spaces = new Set(ids.map((id) => id.split('.')[0]));
  const names = namesIn(content).filter((name) => spaces.has(name.split('.')[0]) && !ids.includes(name));
  const starts = [...content.matchAll(wildcard)].map(([, start = '']) => start);
  return [
    ...names.map((name) => `${path}: "${name}" is not in en.po`),
    ...starts
      .filter((start) => !ids.some((id) => id.startsWith(`${start}.`)))
      .map((start) => `${path}: "${start}.*" fits no message of en.po`),
  ];
}
