import type { CompiledMessage } from '@lingui/message-utils/compileMessage';
import {
  cloneElement,
  createContext,
  createElement,
  Fragment,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  useContext,
} from 'react';
import { type LanguageCode, localeOf } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';

type Texts = (id: MessageId, values?: Values) => string;

/** Formats the texts of one page in one language, from its payload. */
export function textsOf(language: LanguageCode, messages: Messages): Texts {
  // Latin digits in every language, like the codes and clocks beside the text.
  const locale = `${localeOf(language)}-u-nu-latn`;
  return (id, values = {}) => {
    // A newer server may refuse with a code that this page does not know.
    const message = messages[id] ?? (/^failure/.test(id) ? messages['failure.unknown'] : undefined);
    return message === undefined ? missing(id) : writeMessage(message, { values, locale });
  };
}

/** A missing text is an error of the build: pre-rendering and development throw, a visitor's page shows the id. */
function missing(id: string): string {
  const problem = `This page has no message "${id}"`;
  if (import.meta.env.SSR || import.meta.env.DEV) throw new Error(problem);
  console.error(problem);
  return id;
}

export const TextContext = createContext<Texts | undefined>(undefined);

/** `t(id, values)`: formats a message of this page as plain text. */
export const useText = (): Texts => useContext(TextContext) as Texts;

interface TextProps {
  id: MessageId;
  values?: Values;
  /** Direction of the values: `ltr` for addresses, numbers and codes in every language, `auto` for names. */
  dir?: 'ltr' | 'auto';
  /** A text that is in no catalog, such as the message of an error: rendered instead of the message. */
  instead?: string | undefined;
  /** Elements to render instead of values. */
  drawn?: Record<string, ReactNode>;
  /** Elements for the message's tags: `<use>…</use>` becomes `tags.use` with the content as its child. */
  tags?: Record<string, ReactElement<{ children?: ReactNode }>>;
}

/** Surrounds the name of a value until the value replaces it. A private-use character, so no text contains it. */
const mark = '\uE000';
const parts = /<(\w+)>(.*?)<\/\1>|\uE000(\w+)\uE000/;

/**
 * Renders a message as elements. Isolates each value: it cannot change the direction of the words around it or inject a
 * tag. A tag without an element is text.
 */
export function Text({ id, values = {}, dir = 'ltr', instead, drawn = {}, tags = {} }: TextProps): ReactNode {
  const marked = { ...values };
  // A number selects the plural form, so the message formats it; digits cannot change the direction of a sentence.
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
  const t = useText();
  return instead === undefined ? elementsOf(t(id, marked)) : createElement('bdi', { dir: 'auto' }, instead);
}

export const Paragraph = ({
  className,
  role,
  ...text
}: TextProps & Pick<HTMLAttributes<HTMLElement>, 'className' | 'role'>) => (
  <p className={className} role={role}>
    <Text {...text} />
  </p>
);

/** The nodes never change places, so they need no keys. */
const several = (nodes: readonly ReactNode[]): ReactNode => createElement(Fragment, null, ...nodes);

/** Compiled messages, by id. */
export type Messages = Readonly<Record<string, CompiledMessage>>;
export type Values = Readonly<Record<string, string | number>>;

type Cases = Readonly<Record<string, CompiledMessage>> & { readonly offset?: number };

interface FormatContext {
  readonly values: Values;
  /** BCP 47, for numbers and plural forms. */
  readonly locale: string;
  /** The value of `#` inside a plural form. */
  readonly number?: string;
}

/**
 * Formats a message compiled by Lingui. Lingui's own runtime has 2 kB of other features that our pages do not need;
 * `language.test.ts` compares the two for every text.
 */
export function writeMessage(message: CompiledMessage, writing: FormatContext): string {
  const written = message.map((token) => {
    if (typeof token === 'string') return token === '#' ? (writing.number ?? token) : token;
    const [name, type, cases] = token;
    if (type !== undefined) return writeCase(cases as Cases, { name, type, writing });
    return writing.values[name] ?? '';
  });
  return written.join('');
}

/** Formats one of several cases, selected by a number (`plural`) or a word (`select`). */
function writeCase(
  cases: Cases,
  { name, type, writing }: { name: string; type: string; writing: FormatContext },
): string {
  const { values, locale } = writing;
  const value = values[name] ?? '';
  const count = Number(value) - (cases.offset ?? 0);
  const form = type === 'plural' ? new Intl.PluralRules(locale).select(count) : value;
  const chosen = cases[value] ?? cases[form] ?? cases.other ?? [];
  return writeMessage(chosen, { ...writing, number: new Intl.NumberFormat(locale).format(count) });
}
