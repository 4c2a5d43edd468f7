import { pathIn } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import {
  button,
  type EmailContent,
  type EmailContext,
  isHarmlessName,
  pageButton,
  paragraph,
  plainNotice,
  type RequestOrigin,
  recoveryAddress,
  requestOriginDetails,
  textLink,
} from '../email/email-content.ts';

/** Helps an owner who forgot their password; the link works once, for an hour after sending. */
export const recovery = plainNotice<{ readonly link: string }>({
  subject: 'mail.recovery.subject',
  body: [
    'mail.recovery.lead',
    { button: 'mail.recovery.button', opens: 'link' },
    'mail.recovery.validity',
    'mail.recovery.not_you',
  ],
});

/** Tells someone about the account that an operator created; the link works once, for three days after sending. */
export const invitation = plainNotice<{ readonly link: string }>({
  subject: 'mail.invitation.subject',
  body: [
    'mail.invitation.lead',
    { button: 'mail.password_removed.button', opens: 'link' },
    'mail.invitation.validity',
    'mail.invitation.not_you',
  ],
});

interface PasswordChange {
  readonly when: number;
  /** Data that was entered before anyone confirmed the address has been removed. */
  readonly cleared?: boolean;
  /** Changed by the signed-in owner, whose session continues. */
  readonly own?: boolean;
  /** By someone who was invited, and had none. */
  readonly first?: boolean;
}

/** Informs the owner about a new password, and how to get back in if it was someone else. */
export const passwordChanged = (
  writing: EmailContext,
  { when, cleared = false, own = false, first = false }: PasswordChange,
): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say(first ? 'mail.password_first.subject' : 'mail.password_changed.subject', { product: product.name }),
    body: [
      paragraph(say(first ? 'mail.password_first.lead' : 'mail.password_changed.lead', { when: dateTime(when) })),
      ...(first ? [] : [paragraph(say(own ? 'mail.password_changed.others' : 'mail.password_changed.sessions'))]),
      ...(cleared ? [paragraph(say('mail.password_changed.cleared'))] : []),
      paragraph(say('mail.password_changed.not_you')),
      button(say('mail.password_changed.button'), recoveryAddress(writing)),
    ],
  };
};

/** Notifies the owner that the password was removed, and links to the page that sets one. */
export const passwordRemoved = plainNotice<{ readonly when: number }>({
  subject: 'mail.password_removed.subject',
  body: [
    'mail.password_removed.lead',
    'mail.password_removed.not_you',
    { button: 'mail.password_removed.button', opens: 'recovery' },
  ],
});

interface PasskeyEvent extends RequestOrigin {
  /** The name that its owner sees in the account. */
  readonly passkey: string;
}

/** Digits in the names of models and devices; fewer than a phone number has. */
const digitsOfModels = 6;

type Texts = Readonly<Record<'subject' | 'lead' | 'notYou', MessageId & `mail.${string}`>>;

/** Notifies the owner of a passkey, and links to the page that removes it. A thief could have named it to lead the reader elsewhere. */
const aboutPasskey =
  ({ subject, lead, notYou }: Texts) =>
  (writing: EmailContext, event: PasskeyEvent): EmailContent => {
    const { say, product } = writing;
    const { passkey } = event;
    return {
      subject: say(subject, { product: product.name }),
      body: [
        paragraph(say(lead)),
        ...(isHarmlessName(passkey, digitsOfModels) ? [paragraph(say('mail.detail.passkey', { passkey }))] : []),
        // An operator’s action has no address.
        ...(event.ip === '' ? [] : [requestOriginDetails(writing, event)]),
        paragraph(say(notYou)),
        pageButton(writing, { button: 'mail.passkey.button', opens: '/account/security/' }),
      ],
    };
  };

export const passkeyAdded = aboutPasskey({
  subject: 'mail.passkey_added.subject',
  lead: 'mail.passkey_added.lead',
  notYou: 'mail.passkey_added.not_you',
});
export const passkeyRemoved = aboutPasskey({
  subject: 'mail.passkey_removed.subject',
  lead: 'mail.passkey_removed.lead',
  notYou: 'mail.passkey_removed.not_you',
});
export const passkeyCopied = aboutPasskey({
  subject: 'mail.passkey_copied.subject',
  lead: 'mail.passkey_copied.lead',
  notYou: 'mail.passkey_copied.not_you',
});

export const passkeyChanged = aboutPasskey({
  subject: 'mail.passkey_changed.subject',
  lead: 'mail.passkey_changed.lead',
  notYou: 'mail.passkey_copied.not_you',
});

interface FewCodes {
  /** How many are left, 0 to 3. */
  readonly left: number;
  /** Where the sign-in with the code came from. */
  readonly origin?: RequestOrigin | undefined;
}

/** Notifies the owner after a sign-in with a recovery code that few are left, and what to do if it was someone else. */
export const recoveryCodesLow = (writing: EmailContext, { left, origin }: FewCodes): EmailContent => {
  const { say, product, language } = writing;
  return {
    subject: say('mail.recovery_codes_low.subject', { product: product.name }),
    body: [
      paragraph(say('mail.recovery_codes_low.lead', { left: String(left) })),
      ...(origin ? [requestOriginDetails(writing, origin)] : []),
      button(
        say('mail.recovery_codes_low.button'),
        `${product.publicUrl}${pathIn(language.code, '/account/security/')}#second-step`,
      ),
      paragraph(say('mail.new_device.not_you')),
      textLink(say('mail.registered.reset'), recoveryAddress(writing)),
    ],
  };
};
