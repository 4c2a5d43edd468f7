import { button, type Letter, paragraph, recoveryAddress, type Writing } from '../letter/letter.ts';

interface PasswordChange {
  /** Milliseconds since the epoch. */
  readonly when: number;
  /** What was entered before is gone. */
  readonly cleared?: boolean;
  /** Changed by whoever was signed in, who still is. */
  readonly own?: boolean;
  /** Made useless by whoever reads the mail and signed in with a code, since a stranger may have set it. */
  readonly byCode?: boolean;
}

/** Tells the owner of a new password, and the way back in if it was not them. */
export const passwordChanged = (writing: Writing, change: PasswordChange): Letter => {
  const { when, cleared = false, own = false, byCode = false } = change;
  const { say, product, dateTime } = writing;
  const set = button(say('mail.password_changed.button'), recoveryAddress(writing));
  const subject = say('mail.password_changed.subject', { product: product.name });
  if (byCode)
    return { subject, body: [paragraph(say('mail.password_changed.by_code', { when: dateTime(when) })), set] };
  return {
    subject,
    body: [
      paragraph(say('mail.password_changed.lead', { when: dateTime(when) })),
      paragraph(say(own ? 'mail.password_changed.others' : 'mail.password_changed.sessions')),
      ...(cleared ? [paragraph(say('mail.password_changed.cleared'))] : []),
      paragraph(say('mail.password_changed.not_you')),
      set,
    ],
  };
};
