import { button, type EmailContent, type EmailContext, paragraph, recoveryAddress } from '../email/email-content.ts';

interface PhoneChange {
  /** Milliseconds since the epoch. */
  readonly when: number;
  /** The last two digits of the new number: enough for owners to recognize their own. */
  readonly digits: string;
}

/** Informs the owner about a new phone number, and how to get back in if it was someone else. */
export const phoneChanged = (writing: EmailContext, { when, digits }: PhoneChange): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.phone_changed.subject', { product: product.name }),
    body: [
      paragraph(say('mail.phone_changed.lead', { when: dateTime(when), digits })),
      paragraph(say('mail.phone_changed.not_you')),
      button(say('mail.phone_changed.button'), recoveryAddress(writing)),
    ],
  };
};
