import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

interface PlannedRemoval {
  /** When it takes effect, in milliseconds since the epoch. */
  readonly when: number;
  /** Stops it. */
  readonly link: string;
}

/** Notifies the owner that someone requested the removal of the second step, and lets them stop it. */
export const secondStepRemoval = (
  { say, product, dateTime }: EmailContext,
  { when, link }: PlannedRemoval,
): EmailContent => ({
  subject: say('mail.second_step_removal.subject', { product: product.name }),
  body: [
    paragraph(say('mail.second_step_removal.lead', { when: dateTime(when) })),
    paragraph(say('mail.second_step_removal.not_you')),
    button(say('mail.second_step_removal.button'), link),
  ],
});
