import {
  button,
  details,
  type EmailContent,
  type EmailContext,
  paragraph,
  recoveryAddress,
} from '../email/email-content.ts';

/**
 * Warns the owner that a client presented a session's refresh token a second time (RFC 9700, section 4.14.2); `when` in
 * ms since the epoch.
 */
export const sessionReused = (
  writing: EmailContext,
  { ip, when }: { readonly ip: string; readonly when: number },
): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.session_reused.subject', { product: product.name }),
    body: [
      paragraph(say('mail.session_reused.lead')),
      details([say('mail.detail.address', { ip }), say('mail.detail.when', { when: dateTime(when) })]),
      paragraph(say('mail.session_reused.advice')),
      button(say('mail.password_changed.button'), recoveryAddress(writing)),
    ],
  };
};
