import { button, type EmailContent, type EmailContext, paragraph, recoveryAddress } from '../email/email-content.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

/** `kept`: a requested removal was stopped; `lost`: it took effect. */
export type SecondStepChange = 'added' | 'removed' | 'renewed' | 'kept' | 'lost';

interface ChangedSecondStep {
  readonly change: SecondStepChange;
  /** Milliseconds since the epoch. */
  readonly when: number;
  /** Undefined if the service itself or an operator made the change. */
  readonly origin?: RequestOrigin | undefined;
}

/** Notifies the owner of a change to the second step, and how to get back in if it was someone else. */
export const secondStepChanged = (writing: EmailContext, { change, when, origin }: ChangedSecondStep): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: subjectOf(change, say, product.name),
    body: [
      paragraph(leads[change](say, dateTime(when))),
      ...(origin ? [requestOriginDetails(writing, { ...origin, when: undefined })] : []),
      paragraph(say('mail.phone_changed.not_you')),
      button(say('mail.phone_changed.button'), recoveryAddress(writing)),
    ],
  };
};

function subjectOf(change: SecondStepChange, say: EmailContext['say'], product: string): string {
  if (change === 'kept') return say('mail.second_step_changed.kept_subject', { product });
  if (change === 'renewed') return say('mail.second_step_changed.renewed_subject', { product });
  return say('mail.second_step_changed.subject', { product });
}

/** One call for each text, so that the build finds its id. */
const leads: Record<SecondStepChange, (say: EmailContext['say'], when: string) => string> = {
  added: (say, when) => say('mail.second_step_changed.added', { when }),
  removed: (say, when) => say('mail.second_step_changed.removed', { when }),
  renewed: (say, when) => say('mail.second_step_changed.renewed', { when }),
  kept: (say, when) => say('mail.second_step_changed.kept', { when }),
  lost: (say, when) => say('mail.second_step_changed.lost', { when }),
};
