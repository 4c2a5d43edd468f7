import { type Letter, paragraph, type Writing } from '../letter/letter.ts';

/** The last mail of an account, without a link: there is nothing left to open. `when` in ms since the epoch. */
export const accountDeleted = ({ say, product, dateTime }: Writing, { when }: { readonly when: number }): Letter => ({
  subject: say('mail.account_deleted.subject', { product: product.name }),
  body: [
    paragraph(say('mail.account_deleted.lead', { when: dateTime(when) })),
    paragraph(say('mail.account_deleted.thanks')),
  ],
});
