import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'vite';
import type { Change, Mutation } from './drill.ts';
import { project } from './fixtures/environment.ts';

/** A node of the syntax tree (ESTree, as oxc writes it). */
interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

export interface Mutated {
  /** Path from the project's folder, with `/`. */
  readonly file: string;
  /** The whole file with the mistake in it. */
  readonly source: string;
}

const marker = /^ *\/\/ mutation: (.+)\n/gm;

/** Every mark in the product: its name, its file, and the offset of the code below it. */
export function marks(): { name: string; file: string; at: number }[] {
  return globSync('src/**/*.{ts,tsx}', { cwd: project }).flatMap((path) =>
    [...read(path).matchAll(marker)].flatMap(({ 0: line, 1: names = '', index }) =>
      names.split(', ').map((name) => ({ name, file: path.replaceAll('\\', '/'), at: index + line.length })),
    ),
  );
}

/** Makes the mistake. Throws when its place or change is missing or ambiguous, or when the result is not TypeScript. */
export function mutate(mutation: Mutation): Mutated {
  const { mistake, change } = mutation;
  const { file, at } = placeOf(mutation);
  const source = read(file);
  const code = codeAt(file, source, at);
  if (!code) throw new Error(`"${mistake}": ${file} has no code below the mark`);
  const { start, end, text } = changed(source, code, change) ?? {};
  if (text === undefined) throw new Error(`"${mistake}": ${file} has no single place for the change`);
  const mutated = source.slice(0, start) + text + source.slice(end);
  parse(file, mutated);
  return { file, source: mutated };
}

function placeOf({ mistake, place }: Mutation): { file: string; at: number } {
  const [only, another] = marks().filter(({ name }) => name === place);
  if (!only || another) throw new Error(`"${mistake}" needs exactly one mark: ${place}`);
  return only;
}

const read = (path: string): string => readFileSync(`${project}/${path}`, 'utf8');

function parse(file: string, source: string): Syntax {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  return program;
}

function* nodesIn(node: Syntax): Generator<Syntax> {
  yield node;
  for (const part of Object.values(node).flat()) if (typeof part?.type === 'string') yield* nodesIn(part);
}

const textIn = (source: string, { start, end }: Syntax): string => source.slice(start, end);

/** The largest node that begins at an offset, after spaces and comments; or a link of a chain, as in `.where(…)`. */
function codeAt(file: string, source: string, at: number): Syntax | undefined {
  const start = at + (/^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*/.exec(source.slice(at))?.[0].length ?? 0);
  const nodes = [...nodesIn(parse(file, source))];
  const calls = nodes.filter(({ type }) => type === 'CallExpression') as (Syntax & { callee: Syntax })[];
  if (source[start] !== '.') return nodes.find((node) => node.type !== 'Program' && node.start === start);
  const link = calls.find(({ callee }) => {
    const { object, property } = callee as Syntax & { object?: Syntax; property?: Syntax };
    return object && property && object.end <= start && property.start > start;
  });
  return link && { ...link, start };
}

function changed(source: string, code: Syntax, change: Change) {
  const { start, end } = code;
  if (change === 'remove') return { start, end: end + (/^\s*,/.exec(source.slice(end))?.[0].length ?? 0), text: '' };
  if ('before' in change) return { start, end: start, text: `${change.before}\n` };
  if ('value' in change) {
    const value = valueIn(code);
    return { ...value, text: change.value(textIn(source, value)) };
  }
  if ('number' in change) {
    const isNumber = (node: Syntax) =>
      node.type === 'Literal' && typeof (node as { value?: unknown }).value === 'number';
    const first = [...nodesIn(code)].filter(isNumber).sort((one, other) => one.start - other.start)[0];
    return first && { ...first, text: String(change.number) };
  }
  const [word, other] = change.word;
  const places = [...textIn(source, code).matchAll(literally(word))];
  const [only] = places;
  if (!only || places.length > 1) return undefined;
  return { start: start + only.index, end: start + only.index + only[0].length, text: other };
}

/** Matches a text regardless of line breaks and indentation; a word only as a whole word. */
const literally = (text: string): RegExp =>
  new RegExp(
    text
      .replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
      .replaceAll(/\s+/g, String.raw`\s+`)
      .replace(/^(?=\w)|(?<=\w)$/g, String.raw`\b`),
    'g',
  );

/** The property of a syntax node that holds what it declares, tests, returns or iterates over. */
const values: Readonly<Record<string, string>> = {
  AssignmentPattern: 'right',
  ExportNamedDeclaration: 'declaration',
  ExpressionStatement: 'expression',
  ForOfStatement: 'right',
  IfStatement: 'test',
  Property: 'value',
  ReturnStatement: 'argument',
  VariableDeclaration: 'declarations',
  VariableDeclarator: 'init',
};

function valueIn(code: Syntax): Syntax {
  const inner = (code as unknown as Record<string, Syntax | [Syntax]>)[values[code.type] ?? ''];
  return inner ? valueIn(Array.isArray(inner) ? inner[0] : inner) : code;
}
