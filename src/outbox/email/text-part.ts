import type { Block, FramedEmailContent } from './email-content.ts';
import { asPlainText } from './isolate.ts';

/** The text part: each paragraph is one line, which the email client wraps, and each link has its own line. */
export function textPart({ language, greeting, body, footer, documents }: FramedEmailContent): string {
  const line = (text: string) => asPlainText(text, language.dir);
  const block = (part: Block) => {
    if (part.kind === 'code') return part.code;
    if (part.kind === 'details') return part.lines.map(line).join('\n');
    return part.kind === 'paragraph' ? line(part.text) : `${line(part.text)}\n${part.link}`;
  };
  const end = [...footer.map(line), ...documents.map(({ text, link }) => `${line(text)}: ${link}`)].join('\n');
  // "-- " on its own line begins a signature (RFC 3676, section 4.3), which email clients set apart.
  return `${[line(greeting), ...body.map(block), `-- \n${end}`].join('\n\n')}\n`;
}
