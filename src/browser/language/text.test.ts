import { compileMessage } from '@lingui/message-utils/compileMessage';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Text, TextContext, textsOf } from './text.tsx';

const id = 'hint.email_suggestion';
const messages = { [id]: compileMessage('Did you mean <use>{suggestion}</use>? Or <other>not</other>?') };

/** Renders the message with a value, and with an element for only one of its two tags. */
const write = (suggestion: string) => {
  const text = createElement(Text, { id, values: { suggestion }, tags: { use: createElement('em') } });
  return renderToStaticMarkup(createElement(TextContext, { value: textsOf('en', messages) }, text));
};

it.each([
  ['a tag becomes its element, and a tag without an element is text', 'a@b.example', 'a@b.example'],
  ['a tag in a value is text', '<b>x</b>', '&lt;b&gt;x&lt;/b&gt;'],
  ['a tag in a value is text even if it has an element', '<use>x</use>', '&lt;use&gt;x&lt;/use&gt;'],
  ['half a tag in a value is text', '</use>x<use>', '&lt;/use&gt;x&lt;use&gt;'],
  ['a value of another direction is isolated', '\u05d0\u05d1@c', '\u05d0\u05d1@c'],
])('%s', (_sentence, value, written) => {
  expect(write(value)).toBe(
    `Did you mean <em><bdi dir="ltr">${written}</bdi></em>? Or &lt;other&gt;not&lt;/other&gt;?`,
  );
});
