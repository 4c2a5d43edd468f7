import { pathIn } from '../../contract/languages.ts';
import { button, details, type Letter, paragraph, type Writing } from '../letter/letter.ts';

export interface AddedComputer {
  /** A system that we know, such as "Linux": a name could say anything. */
  readonly device: string;
  readonly ip: string;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** The first computer, others that were gathered behind it, and how many more are not told one by one. */
interface AddedComputers extends AddedComputer {
  readonly others?: readonly AddedComputer[];
  readonly more?: number;
}

/** Tells the owner of computers that were added, and what to do if it was not them. */
export const computerAdded = (writing: Writing, { others = [], more = 0, ...first }: AddedComputers): Letter => {
  const { say, product, language } = writing;
  return {
    subject: say('mail.computer_added.subject', { product: product.name }),
    body: [
      paragraph(say('mail.computer_added.lead')),
      ...[first, ...others].map((added) => detailsOf(writing, added)),
      ...(more > 0 ? [paragraph(say('mail.computer_added.more', { count: String(more) }))] : []),
      paragraph(say('mail.computer_added.not_you')),
      button(say('mail.computer_added.button'), `${product.publicUrl}${pathIn(language.code, '/dashboard/')}`),
    ],
  };
};

const detailsOf = ({ say, dateTime }: Writing, { device, ip, when }: AddedComputer) =>
  details([
    say('mail.detail.device', { device }),
    say('mail.detail.address', { ip }),
    say('mail.detail.when', { when: dateTime(when) }),
  ]);
