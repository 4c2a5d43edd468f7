import { requestsIn, type Words } from './leads.ts';
import { calledIn, elementName, isFunction, nameOf, nodesIn, type Parsed, type Syntax } from './syntax.ts';

/** What has to hold, or must not. */
export interface Condition {
  /** As the code has it. */
  readonly test: string;
  readonly holds: boolean;
}

/** A part of a screen. */
export interface Step {
  /** The component that has it. */
  readonly within: string;
  /** The component that is shown. */
  readonly shows: string;
  /** None: it is always there. */
  readonly conditions: readonly Condition[];
  readonly element: Syntax;
  /** What the component asks, by the names of its requests: `check` → what that is for. */
  readonly requests: ReadonlyMap<string, string>;
}

/** A component of a screen. */
export interface Component {
  readonly name: string;
  /** Its function. */
  readonly code: Syntax;
  readonly write: (node: Syntax) => string;
}

/** Every component that a module declares. */
export const componentsOf = ({ program, write }: Parsed): Component[] =>
  [...nodesIn(program)].flatMap(([code, around]) => {
    const name = componentName(code, around.at(-1));
    return name === undefined ? [] : [{ name, code, write }];
  });

/** What a component shows, and when. */
export function stepsOf({ name: within, code, write }: Component, words: Words): Step[] {
  const requests = requestsOf(code, words);
  const lent = componentsKept(code);
  return [...nodesIn(code)].flatMap(([element, around]) => {
    const named = elementName(element);
    if (named === undefined || !/^[A-Z]/.test(named)) return [];
    const path = [...around, element];
    const conditions = path.flatMap((one, at) => conditionOf(one, path[at + 1], write));
    return [{ within, shows: lent.get(named) ?? named, conditions, element, requests }];
  });
}

/** A function with a name that begins with a capital. */
function componentName(node: Syntax, around: Syntax | undefined): string | undefined {
  if (!isFunction(node)) return undefined;
  const name = nameOf(node.id) ?? (around?.type === 'VariableDeclarator' ? nameOf(around.id) : undefined);
  return name && /^[A-Z]/.test(name) ? name : undefined;
}

/** Components that are loaded later and kept as a state: `setCode(() => EnterCode)` makes `Code` one. */
function componentsKept(code: Syntax): Map<string, string> {
  const found = [...nodesIn(code)].flatMap(([node]) => {
    const [, kept] = /^set([A-Z]\w*)$/.exec(nameOf(node.callee) ?? '') ?? [];
    const given = node.arguments?.[0];
    const name = given && isFunction(given) ? nameOf(given.body) : undefined;
    return kept && name ? [[kept, name] as const] : [];
  });
  return new Map(found);
}

/** `const check = useRequest(…)` */
function requestsOf(code: Syntax, { request }: Words): Map<string, string> {
  const found = [...nodesIn(code)].flatMap(([node, around]) => {
    const name = calledIn(node) === 'useRequest' ? nameOf(around.at(-1)?.id) : undefined;
    const summary = requestsIn(node).map(request).find(Boolean);
    return name && summary ? [[name, summary] as const] : [];
  });
  return new Map(found);
}

/** Under which condition a node shows what is in it. */
function conditionOf(node: Syntax, inside: Syntax | undefined, write: (node: Syntax) => string): Condition[] {
  const { type, test, left } = node;
  if (type === 'LogicalExpression' && node.operator === '&&' && inside !== left)
    return [{ test: write(left as Syntax), holds: true }];
  if ((type !== 'ConditionalExpression' && type !== 'IfStatement') || inside === test) return [];
  return [{ test: write(test as Syntax), holds: inside === node.consequent }];
}

/** As a sentence that a diagram's label can hold. */
export function inSentence(conditions: readonly Condition[], requests: Step['requests']): string {
  const sentence = conditions.map(({ test, holds }) => (holds ? said(test) : denied(said(test)))).join(' and ');
  return [...requests].reduce(
    (text, [name, summary]) =>
      text
        .replaceAll(`${name}.state is success`, `“${summary}” is answered`)
        .replaceAll(`${name}.error.code is`, `“${summary}” is refused as`),
    sentence,
  );
}

const said = (code: string): string =>
  code
    .replace(/\s+/g, ' ')
    .replaceAll('?.', '.')
    .replaceAll(' === undefined', ' is missing')
    .replaceAll(' !== undefined', ' is there')
    .replaceAll(' === ', ' is ')
    .replaceAll(' !== ', ' is not ')
    .replaceAll(' && ', ' and ')
    .replaceAll(' || ', ' or ')
    .replace(/!(?=[\w(])/g, 'no ')
    .replaceAll("'", '');

function denied(sentence: string): string {
  if (/^\S+ is missing$/.test(sentence)) return sentence.replace('is missing', 'is there');
  return /^\S+$/.test(sentence) ? `no ${sentence}` : `not (${sentence})`;
}
