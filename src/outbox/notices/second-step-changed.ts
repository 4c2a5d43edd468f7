import { button, type EmailContent, type EmailContext, paragraph, recoveryAddress } from '../email/email-content.ts';

/** `kept`: a requested removal was stopped; `lost`: it took effect. */
export type SecondStepChange = 'added' | 'removed' | 'renewed' | 'kept' | 'lost';

interface ChangedSecondStep {
  readonly change: SecondStepChange;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** Notifies the owner of a change to the second step, and how to get back in if it was someone else. */
export const secondStepChanged = (writing: EmailContext, { change, when }: ChangedSecondStep): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.second_step_changed.subject', { product: product.name }),
    body: [
      paragraph(leads[change](say, dateTime(when))),
      paragraph(say('mail.phone_changed.not_you')),
      button(say('mail.phone_changed.button'), recoveryAddress(writing)),
    ],
  };
};

/** One call for each text, so that the build finds its id. */
const leads: Record<SecondStepChange, (say: EmailContext['say'], when: string) => string> = {
  added: (say, when) => say('mail.second_step_changed.added', { when }),
  removed: (say, when) => say('mail.second_step_changed.removed', { when }),
  renewed: (say, when) => say('mail.second_step_changed.renewed', { when }),
  kept: (say, when) => say('mail.second_step_changed.kept', { when }),
  lost: (say, when) => say('mail.second_step_changed.lost', { when }),
};
