import {
  attributeOf,
  calledIn,
  elementName,
  isFunction,
  literalOf,
  nameOf,
  nodesIn,
  type Parsed,
  type Syntax,
} from './syntax.ts';

/** A way from a screen to a page. */
export interface Lead {
  /** The page's path, or `last place`. */
  readonly to: string;
  /** What somebody does, or what has happened. */
  readonly event: string;
}

export interface Words {
  /** An English message. */
  readonly text: (id: string) => string;
  /** What an endpoint is for, by its name in a contract. */
  readonly request: (name: string) => string | undefined;
}

export const lastPlace = 'last place';

const senders = ['sendRequest', 'send'];

/** Names of the endpoints that some code asks. */
export const requestsIn = (node: Syntax): string[] =>
  [...nodesIn(node)].flatMap(([call]) => {
    const name = senders.includes(calledIn(call) ?? '') ? nameOf(call.arguments?.[0]) : undefined;
    return name === undefined ? [] : [name];
  });

/** Where a module leads: its links, and where it goes by itself. */
export function leadsOf({ program }: Parsed, words: Words): Lead[] {
  return [...nodesIn(program)].flatMap(([node, around]) => {
    const link = /^(?:Link|ButtonLink)$/.test(elementName(node) ?? '') ? attributeOf(node, 'to') : undefined;
    if (link !== undefined) return [{ to: link, event: linkWords(node, around, words) }];
    const gone = goesTo(node);
    return gone === undefined ? [] : [{ to: gone, event: eventAround(around, words) }];
  });
}

function goesTo(node: Syntax): string | undefined {
  const called = calledIn(node);
  if (called === 'goToLastPlace') return lastPlace;
  return called === 'go' ? literalOf(node.arguments?.[0]) : undefined;
}

/** What a link says: itself, or the part of a message that it is the tag of. */
function linkWords(link: Syntax, around: readonly Syntax[], { text }: Words): string {
  const label = attributeOf(link, 'label') ?? firstText(link);
  if (label !== undefined) return plain(text(label));
  const tag = nameOf(around.findLast(({ type }) => type === 'Property')?.key);
  const message = around.map((node) => elementName(node) === 'Text' && attributeOf(node, 'id')).findLast(Boolean);
  const said = message && new RegExp(`<${tag}>(.*?)</${tag}>`).exec(text(message))?.[1];
  return said ? plain(said) : 'a link';
}

/** The first message inside an element. */
export const firstText = (element: Syntax): string | undefined =>
  [...nodesIn(element)].map(([node]) => elementName(node) === 'Text' && attributeOf(node, 'id')).find(Boolean) ||
  undefined;

const plain = (message: string): string => message.replace(/<\/?\w+>/g, '');

/** The request that is answered before it, or else the function that is done, or the property that it is in. */
function eventAround(around: readonly Syntax[], { request }: Words): string {
  const functions = around.filter(isFunction).toReversed();
  const asked = functions.map((one) => requestsIn(one).flatMap((name) => request(name) ?? [])[0]).find(Boolean);
  if (asked) return asked;
  const property = nameOf(around.findLast(({ type }) => type === 'JSXAttribute')?.name as Syntax | undefined);
  const done = functions.map((one) => [...nodesIn(one)].map(([node]) => awaited(node)).find(Boolean)).find(Boolean);
  return property ?? (done ? inWords(done) : 'by itself');
}

const awaited = (node: Syntax): string | undefined =>
  node.type === 'AwaitExpression' && node.argument ? calledIn(node.argument) : undefined;

/** `endSession` → `end session`. */
export const inWords = (name: string): string => name.replace(/(?<=[a-z])([A-Z])/g, ' $1').toLowerCase();
