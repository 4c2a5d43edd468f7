import { parseSync } from 'vite';

/** The message ids that a module contains, and its imports. */
export interface ModuleTexts {
  /** Specifiers of all imports, static and dynamic. */
  readonly imports: readonly string[];
  /** String literals, which may be message ids. */
  readonly words: readonly TextUse[];
  /** Template literals, whose values are known only at run time: `failure.…` for `failure.${code}`. */
  readonly beginnings: readonly TextUse[];
  /** Codes of its own field errors: `{ field: 'phone', code: 'required' }`, `{ ...failure, code: 'required' }`. */
  readonly fieldCodes: readonly string[];
  /** Every identifier in the code, including the names of imported exports. */
  readonly names: ReadonlySet<string>;
  /** Code that this analysis cannot follow. */
  readonly problems: readonly TextUse[];
}

export interface TextUse {
  readonly text: string;
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
}

/** The parts of oxc's ESTree syntax tree that matter here. */
interface Syntax extends Node {
  readonly value?: unknown;
  readonly name?: string;
  readonly source?: Syntax | null;
  readonly importKind?: string;
  readonly exportKind?: string;
  readonly expression?: Syntax;
  readonly expressions?: readonly Syntax[];
  readonly properties?: readonly Syntax[];
  readonly key?: Syntax;
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[];
}

const isNode = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Type annotations do not exist at run time; only the annotated expression remains. */
const saidOf = /^TS(?:As|Satisfies|NonNull|Instantiation)Expression$/;

function* nodesOf(node: Syntax): Generator<Syntax> {
  if (node.importKind === 'type' || node.exportKind === 'type') return;
  if (saidOf.test(node.type)) return yield* nodesOf(node.expression as Syntax);
  if (node.type.startsWith('TS')) return;
  yield node;
  for (const part of Object.values(node))
    for (const child of Array.isArray(part) ? part : [part]) if (isNode(child)) yield* nodesOf(child);
}

/** Reads one module. Throws if it cannot be parsed, because its imports would then be missing. */
export function readModuleTexts(path: string, source: string): ModuleTexts {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const found = {
    imports: [] as string[],
    words: [] as TextUse[],
    beginnings: [] as TextUse[],
    problems: [] as TextUse[],
  };
  const fieldCodes: string[] = [];
  const names = new Set<string>();
  const at = (node: Node, text: string): TextUse => ({ text, line: source.slice(0, node.start).split('\n').length });

  for (const node of nodesOf(program as unknown as Syntax)) {
    const text = textOf(node);
    if (text !== undefined) found.words.push(at(node, text));
    else if (node.type === 'TemplateLiteral') found.beginnings.push(at(node, writtenTemplate(node)));
    if (node.type === 'ObjectExpression') fieldCodes.push(...fieldCodesIn(node));
    if (/^(?:JSX)?Identifier$/.test(node.type)) names.add(node.name as string);
    if (!/^(?:Import|Export\w*)(?:Declaration|Expression)$/.test(node.type) || !node.source) continue;
    const specifier = textOf(node.source);
    if (specifier !== undefined) found.imports.push(specifier);
    // The entry imports the screen of its page, which is read separately.
    else if (node.source.name !== 'screen')
      found.problems.push(at(node, 'cannot determine this import: its path is computed at run time'));
  }
  return { ...found, fieldCodes, names };
}

function textOf(node: Syntax): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions?.length === 0) return node.quasis?.[0]?.value.cooked;
  return undefined;
}

function fieldCodesIn({ properties = [] }: Syntax): string[] {
  const code = properties.find(({ key }) => key?.name === 'code')?.value;
  const isOfField = properties.some(({ type, key }) => key?.name === 'field' || type === 'SpreadElement');
  return isNode(code) && isOfField ? [...nodesOf(code)].flatMap((node) => textOf(node) ?? []) : [];
}

/** A template with `…` for each value: `failure.…`. */
const writtenTemplate = ({ quasis = [] }: Syntax): string => quasis.map(({ value }) => value.cooked).join('…');
