import type { Messages } from '../browser/language/message.ts';

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Whether the text of a message is visible, apart from its values, tags and plural forms. */
export function isShown(message: Messages[string] | undefined): boolean {
  const read = oneLine(document.body.innerText);
  const pieces = (message ?? []).flatMap((token) => (typeof token === 'string' ? token.split(/<\/?\w+>/) : []));
  return pieces.every((piece) => read.includes(oneLine(piece)));
}
