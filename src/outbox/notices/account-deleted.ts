import { type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** The last email of an account. It has no link, since there is nothing left to open. `when` in ms since the epoch. */
export const accountDeleted = (
  { say, product, dateTime }: EmailContext,
  { when }: { readonly when: number },
): EmailContent => ({
  subject: say('mail.account_deleted.subject', { product: product.name }),
  body: [
    paragraph(say('mail.account_deleted.lead', { when: dateTime(when) })),
    paragraph(say('mail.account_deleted.thanks', { product: product.name })),
  ],
});
