import { parseSync } from 'vite';

/** A node of the syntax tree (ESTree with JSX, as oxc writes it); what matters here of it. */
export interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: Syntax | string;
  readonly value?: unknown;
  readonly argument?: Syntax | null;
  readonly arguments?: readonly Syntax[];
  readonly body?: Syntax;
  readonly attributes?: readonly Syntax[];
  readonly callee?: Syntax;
  readonly consequent?: Syntax;
  readonly expression?: Syntax;
  readonly id?: Syntax | null;
  readonly key?: Syntax;
  readonly left?: Syntax;
  readonly object?: Syntax;
  readonly openingElement?: Syntax;
  readonly operator?: string;
  readonly property?: Syntax;
  readonly right?: Syntax;
  readonly source?: Syntax | null;
  readonly test?: Syntax;
}

export interface Parsed {
  readonly path: string;
  readonly program: Syntax;
  /** As it is written. */
  readonly write: (node: Syntax) => string;
}

const isNode = (value: unknown): value is Syntax =>
  typeof value === 'object' && value !== null && typeof (value as Syntax).type === 'string';

/** Parses a module. Throws when it cannot: a module that is not read is not drawn. */
export function parse(path: string, source: string): Parsed {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  return { path, program: program as unknown as Syntax, write: ({ start, end }) => source.slice(start, end) };
}

/** Every node below one, with what it is in, the innermost last. */
export function* nodesIn(node: Syntax, around: readonly Syntax[] = []): Generator<[node: Syntax, around: Syntax[]]> {
  const path = [...around, node];
  for (const part of Object.values(node))
    for (const child of Array.isArray(part) ? part : [part])
      if (isNode(child)) {
        yield [child, path];
        yield* nodesIn(child, path);
      }
}

/** What a node says in letters: a text, or an attribute's. */
export function literalOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'JSXExpressionContainer') return literalOf(node.expression);
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** The name of an identifier, of a JSX element, or of what one is a member of: `code.Step`. */
export function nameOf(node: Syntax | undefined | null): string | undefined {
  if (!node) return undefined;
  if (node.type === 'JSXMemberExpression') return `${nameOf(node.object)}.${nameOf(node.property)}`;
  return typeof node.name === 'string' ? node.name : undefined;
}

/** The name of a JSX element; undefined for any other node. */
export const elementName = (node: Syntax): string | undefined =>
  node.type === 'JSXElement' ? nameOf(node.openingElement?.name as Syntax) : undefined;

/** An attribute of a JSX element, where it is a text. */
export const attributeOf = (element: Syntax, name: string): string | undefined =>
  literalOf(element.openingElement?.attributes?.find((one) => nameOf(one.name as Syntax) === name)?.value);

/** What is called, in a call by name. */
export const calledIn = (node: Syntax): string | undefined =>
  node.type === 'CallExpression' ? nameOf(node.callee) : undefined;

export const isFunction = ({ type }: Syntax): boolean => /Function/.test(type);
