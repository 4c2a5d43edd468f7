import type { Block, FramedEmailContent } from './email-content.ts';
import { asPlainText } from './isolate.ts';

/** The text part: a paragraph is a line that the reader's program wraps, and a link is on its own line, bare. */
export function textPart({ language, greeting, body, footer, documents }: FramedEmailContent): string {
  const line = (text: string) => asPlainText(text, language.dir);
  const block = (part: Block) => {
    if (part.kind === 'code') return part.code;
    if (part.kind === 'details') return part.lines.map(line).join('\n');
    return part.kind === 'button' ? `${line(part.text)}\n${part.link}` : line(part.text);
  };
  const end = [...footer.map(line), ...documents.map(({ text, link }) => `${line(text)}: ${link}`)].join('\n');
  // "-- " alone on its line begins a signature (RFC 3676, section 4.3); programs show it apart.
  return `${[line(greeting), ...body.map(block), `-- \n${end}`].join('\n\n')}\n`;
}
