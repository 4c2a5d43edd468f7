import { Fragment } from 'react';
import { useText } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';

interface IsolatedTextProps {
  id: MessageId;
  values: Record<string, string>;
  /** Addresses, numbers and codes run left to right in every language; a name as its own letters do (`auto`). */
  dir?: 'ltr' | 'auto';
}

/** Stands around a value's name in the message until the value itself takes its place; private use, so in no text. */
const mark = '\uE000';
const marked = new RegExp(`${mark}(\\w+)${mark}`);

/** A message with values that have no effect on the direction of the words around them, whatever they hold. */
export function IsolatedText({ id, values, dir = 'ltr' }: IsolatedTextProps) {
  const names = Object.keys(values).map((name) => [name, mark + name + mark]);
  const pieces = useText()(id, Object.fromEntries(names)).split(marked);
  return pieces.map((piece, at) => {
    // Splitting by a group gives: text, name, text, name, … text.
    if (at % 2 === 0) return <Fragment key={piece}>{piece}</Fragment>;
    return (
      <bdi key={piece} dir={dir}>
        {values[piece]}
      </bdi>
    );
  });
}
