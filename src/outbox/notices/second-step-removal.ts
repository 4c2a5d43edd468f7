import { button, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

interface PlannedRemoval {
  /** When it takes effect, in milliseconds since the epoch. */
  readonly when: number;
  /** Stops it. */
  readonly link: string;
  /** Where the request came from; undefined if an operator made it. */
  readonly origin?: RequestOrigin | undefined;
}

/** Notifies the owner that someone requested the removal of the second step, and lets them stop it. */
export const secondStepRemoval = (writing: EmailContext, { when, link, origin }: PlannedRemoval): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.second_step_removal.subject', { product: product.name }),
    body: [
      paragraph(say('mail.second_step_removal.lead', { when: dateTime(when) })),
      ...(origin ? [requestOriginDetails(writing, origin)] : []),
      paragraph(say('mail.second_step_removal.not_you')),
      button(say('mail.second_step_removal.button'), link),
    ],
  };
};
