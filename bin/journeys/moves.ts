import { firstText, inWords, requestsIn, type Words } from './leads.ts';
import type { Component, Condition, Step } from './steps.ts';
import { attributeOf, isFunction, nameOf, nodesIn, type Syntax } from './syntax.ts';

/** From one step to another of the same component. */
export interface Move {
  readonly within: string;
  readonly from: string;
  readonly to: string;
  readonly event: string;
}

interface Change {
  /** A state of the component. */
  readonly state: string;
  /** What it becomes, as the code has it. */
  readonly becomes: string;
}

interface Scene {
  readonly components: readonly Component[];
  readonly steps: readonly Step[];
  readonly words: Words;
}

/** How the steps of a component follow each other: by what they call that changes what it shows. */
export function movesOf(component: Component, { components, steps, words }: Scene): Move[] {
  const own = steps.filter(({ within, conditions }) => within === component.name && conditions.length > 0);
  return own.flatMap((step) =>
    (step.element.openingElement?.attributes ?? []).flatMap((attribute) => {
      const callback = nameOf(attribute.name as Syntax);
      const called = changesBy((attribute.value as Syntax | null)?.expression, component);
      const next = own.filter(({ shows, conditions }) => shows !== step.shows && called.some(leadsTo(conditions)));
      const from = components.find(({ name }) => name === step.shows);
      return next.map(({ shows }) => ({
        within: component.name,
        from: step.shows,
        to: shows,
        event: from && callback ? eventOf(from, callback, words) : 'by itself',
      }));
    }),
  );
}

/** What a callback changes: a function there and then, or one of the component by its name. */
function changesBy(expression: Syntax | undefined, { code, write }: Component): Change[] {
  if (!expression) return [];
  const named = nameOf(expression);
  const body = isFunction(expression) ? expression : named && functionNamed(named, code);
  if (!body) return [];
  return [...nodesIn(body)].flatMap(([node]) => {
    const [, state] = /^set([A-Z]\w*)$/.exec(nameOf(node.callee) ?? '') ?? [];
    const given = node.arguments?.[0];
    return state && given ? [{ state, becomes: write(given) }] : [];
  });
}

const functionNamed = (name: string, code: Syntax): Syntax | undefined =>
  [...nodesIn(code)].find(
    ([node, around]) => isFunction(node) && (nameOf(node.id) ?? nameOf(around.at(-1)?.id)) === name,
  )?.[0];

/** Whether a change makes a condition true, as far as that can be told from how both are written. */
const leadsTo =
  (conditions: readonly Condition[]) =>
  ({ state, becomes }: Change): boolean =>
    conditions.some(({ test, holds }) => {
      const [, name, literal] = /^(\w+)(?: === (undefined|'\w+'))?/.exec(test.replace(/\s+/g, ' ')) ?? [];
      if (name?.toLowerCase() !== state.toLowerCase()) return false;
      const isThere = becomes !== 'undefined';
      if (literal === undefined) return isThere === holds;
      return literal === 'undefined' ? isThere !== holds : (becomes === literal) === holds;
    });

/** What comes before a step calls back: a button with words, a request that is answered, or else the call itself. */
function eventOf({ code }: Component, callback: string, { text, request }: Words): string {
  const all = [...nodesIn(code)];
  const calls = all.filter(([node]) => nameOf(node.callee) === callback);
  const functions = calls.flatMap(([, around]) => around.filter((one) => isFunction(one) && one !== code).toReversed());
  const holders = calls.flatMap(([, around]) => around.filter(({ id }) => nameOf(id) !== undefined && id));
  const names = new Set([callback, ...holders.map(({ id }) => nameOf(id))]);
  const button = all.find(([node]) => isPressedFor(node, names))?.[0];
  const label = button && (attributeOf(button, 'label') ?? firstText(button));
  if (label) return text(label);
  return functions.flatMap(requestsIn).map(request).find(Boolean) ?? inWords(callback);
}

/** Whether an element's click does one of these. */
const isPressedFor = ({ openingElement }: Syntax, names: ReadonlySet<string | undefined>): boolean =>
  openingElement?.attributes?.some(
    (attribute) =>
      nameOf(attribute.name as Syntax) === 'onClick' &&
      [...nodesIn(attribute)].some(([node]) => names.has(nameOf(node))),
  ) ?? false;
