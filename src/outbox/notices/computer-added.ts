import { pathIn } from '../../contract/languages.ts';
import { type DoneFrom, doneFrom } from '../letter/done-from.ts';
import { button, type Letter, paragraph, type Writing } from '../letter/letter.ts';

/** The first computer, others that were gathered behind it, and how many more are not told one by one. */
interface AddedComputers extends DoneFrom {
  readonly others?: readonly DoneFrom[];
  readonly more?: number;
}

/** Tells the owner of computers that were added, and what to do if it was not them. */
export const computerAdded = (writing: Writing, { others = [], more = 0, ...first }: AddedComputers): Letter => {
  const { say, product, language } = writing;
  return {
    subject: say('mail.computer_added.subject', { product: product.name }),
    body: [
      paragraph(say('mail.computer_added.lead')),
      ...[first, ...others].map((added) => doneFrom(writing, added)),
      ...(more > 0 ? [paragraph(say('mail.computer_added.more', { count: String(more) }))] : []),
      paragraph(say('mail.computer_added.not_you')),
      button(say('mail.computer_added.button'), `${product.publicUrl}${pathIn(language.code, '/dashboard/')}`),
    ],
  };
};
