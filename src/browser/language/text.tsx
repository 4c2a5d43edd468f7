import {
  cloneElement,
  createContext,
  createElement,
  Fragment,
  type ReactElement,
  type ReactNode,
  useContext,
} from 'react';
import { type LanguageCode, languageOf } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { type Messages, type Values, writeMessage } from './message.ts';

type Texts = (id: MessageId, values?: Values) => string;

/** The texts of one page in one language, as its payload brings them. */
export function textsOf(language: LanguageCode, messages: Messages): Texts {
  // Latin digits in every language, as codes and clocks beside the text have them.
  const locale = `${languageOf(language).tag}-u-nu-latn`;
  return (id, values = {}) => {
    // A newer server may refuse with what this page has never heard of.
    const message = messages[id] ?? (/^failure/.test(id) ? messages['failure.unknown'] : undefined);
    return message === undefined ? missing(id) : writeMessage(message, { values, locale });
  };
}

/** The build gives each page what it can show. Should it be mistaken, no visitor's page breaks; pre-rendering does. */
function missing(id: string): string {
  const problem = `This page has no message "${id}"`;
  if (import.meta.env.SSR || import.meta.env.DEV) throw new Error(problem);
  console.error(problem);
  return id;
}

export const TextContext = createContext<Texts | undefined>(undefined);

/** `t(id, values)`: a message of this page in its language, as plain text. */
export const useText = (): Texts => useContext(TextContext) as Texts;

interface TextProps {
  id: MessageId;
  values?: Values;
  /** Of the values: addresses, numbers and codes run left to right in every language, a name as its letters do. */
  dir?: 'ltr' | 'auto';
  /** Values that are drawn, and not only written. */
  drawn?: Record<string, ReactNode>;
  /** Elements for the message's tags: `<use>…</use>` becomes `tags.use` with what is between as its child. */
  tags?: Record<string, ReactElement<{ children?: ReactNode }>>;
}

/** Surrounds a value's name in the message until the value itself takes its place; private use, so in no text. */
const mark = '\uE000';
const parts = /<(\w+)>(.*?)<\/\1>|\uE000(\w+)\uE000/;

/**
 * A message as elements. A value has no effect on the words around it, whatever it holds: neither on their direction,
 * nor as a tag. A tag that the screen has no element for is text.
 */
export function Text({ id, values = {}, dir = 'ltr', drawn = {}, tags = {} }: TextProps): ReactNode {
  const marked = { ...values };
  // A number decides the message's form, so it is written at once; it turns no sentence around.
  for (const name in values) if (typeof values[name] === 'string') marked[name] = mark + name + mark;
  const elementsOf = (text: string): ReactNode => {
    // Splitting by three groups gives: text, tag, inner, name, text, tag, … text.
    const pieces = text.split(parts).map((piece, at, all) => {
      if (at % 4 === 0) return piece;
      if (piece === undefined || at % 4 === 2) return null;
      if (at % 4 === 3) return createElement('bdi', { dir }, drawn[piece] ?? values[piece]);
      const inner = elementsOf(all[at + 1] as string);
      const element = tags[piece];
      return element ? cloneElement(element, {}, inner) : several([`<${piece}>`, inner, `</${piece}>`]);
    });
    return several(pieces);
  };
  return elementsOf(useText()(id, marked));
}

/** They never change places, so they need no keys. */
const several = (nodes: readonly ReactNode[]): ReactNode => createElement(Fragment, null, ...nodes);
