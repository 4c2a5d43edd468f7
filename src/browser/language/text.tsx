import { cloneElement, createContext, Fragment, type ReactElement, type ReactNode, useContext } from 'react';
import { type LanguageCode, languageOf } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { type Messages, type Values, writeMessage } from './message.ts';

type Texts = (id: MessageId, values?: Values) => string;

/** The texts of one page in one language, as its payload brings them. */
export function textsOf(language: LanguageCode, messages: Messages): Texts {
  // Latin digits in every language, as codes and clocks beside the text have them.
  const locale = `${languageOf(language).tag}-u-nu-latn`;
  return (id, values = {}) => {
    const message = messages[id];
    return message === undefined ? missing(id) : writeMessage(message, { values, locale });
  };
}

/** Nobody's page breaks for a text that its list in `pages.ts` forgot; pre-rendering and tests do. */
function missing(id: string): string {
  const problem = `This page has no message "${id}": see its list in pages.ts`;
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
  /** Elements for the message's tags: `<use>…</use>` becomes `tags.use` with what stands between as its child. */
  tags?: Record<string, ReactElement<{ children?: ReactNode }>>;
}

/** Stands for the `<` of a value, which begins no tag; private use, so in no text. */
const mark = '\uE000';

const withoutTags = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replaceAll('<', mark) : value,
    ]),
  );

/** A message as elements. A tag in a value, or one that the screen has no element for, is text like any other. */
export function Text({ id, values = {}, tags = {} }: TextProps): ReactNode {
  const text = useText()(id, withoutTags(values));
  // Splitting by two groups gives: text, tag, inner, text, tag, inner, … text.
  const pieces = text.split(/<(\w+)>(.*?)<\/\1>/).map((piece) => piece.replaceAll(mark, '<'));
  return pieces.map((piece, at) => {
    if (at % 3 === 0) return piece;
    if (at % 3 === 2) return null;
    const inner = pieces[at + 1];
    const element = tags[piece];
    if (!element) return `<${piece}>${inner}</${piece}>`;
    return <Fragment key={piece}>{cloneElement(element, {}, inner)}</Fragment>;
  });
}
