import type { Messages } from '../browser/language/message.ts';

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

/** Whether the words of a message can be read: all that it has besides its values, tags and forms. */
export function isShown(message: Messages[string] | undefined): boolean {
  const read = oneLine(document.body.innerText);
  const pieces = (message ?? []).flatMap((token) => (typeof token === 'string' ? token.split(/<\/?\w+>/) : []));
  return pieces.every((piece) => read.includes(oneLine(piece)));
}
