import { parseSync } from 'vite';
import { digestOf } from './tree.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node | null;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** The outermost bodies of functions. */
function* bodiesIn(node: Node): Generator<Node> {
  const { type, body } = node;
  const isFunction = /^(?:Function(?:Declaration|Expression)|ArrowFunctionExpression)$/.test(type);
  for (const [name, part] of Object.entries(node))
    for (const child of Array.isArray(part) ? part : [part])
      if (isNode(child) && !(isFunction && name === 'body')) yield* bodiesIn(child);
  if (isFunction && body) yield body;
}

/** Code that keeps state between calls, so that one caller can affect the next. */
const remembers = /^(?:export )?let |^(?:export )?var |\bnew (?:Weak)?(?:Map|Set)\(|\bglobalThis\b|\bstatic\b/m;

/**
 * A digest of a module's load-time code: its source without the bodies of functions. A change inside a body affects only
 * callers of the function. Undefined for a module that keeps state, because this may not hold for it.
 */
export function shellOf(path: string, source: string): string | undefined {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) return undefined;
  let [shell, at] = ['', 0];
  for (const { start, end } of [...bodiesIn(program as unknown as Node)].sort(
    (one, other) => one.start - other.start,
  )) {
    shell += `${source.slice(at, start)}…`;
    at = end;
  }
  shell += source.slice(at);
  return remembers.test(shell) ? undefined : digestOf(shell);
}
