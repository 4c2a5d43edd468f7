import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

interface EmailChanged {
  /** The new address. */
  readonly email: string;
  /** Undoes the change. */
  readonly link: string;
  /** Milliseconds since the epoch: the link works until then. */
  readonly until: number;
}

/** Tells the old address about the new one, and how to undo the change. */
export const emailChanged = (
  { say, product, dateTime }: EmailContext,
  { email, link, until }: EmailChanged,
): EmailContent => ({
  subject: say('mail.email_changed.subject', { product: product.name }),
  body: [
    paragraph(say('mail.email_changed.lead', { email })),
    paragraph(say('mail.email_changed.not_you', { when: dateTime(until) })),
    button(say('mail.email_changed.button'), link),
  ],
});
