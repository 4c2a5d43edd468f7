import { pathIn } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import {
  type Block,
  button,
  type EmailContent,
  type EmailContext,
  paragraph,
  recoveryAddress,
} from '../email/email-content.ts';
import { isHarmlessName } from '../email/harmless-name.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

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
        securityButton(writing),
      ],
    };
  };

const securityButton = ({ say, product, language }: EmailContext): Block =>
  button(say('mail.passkey.button'), `${product.publicUrl}${pathIn(language.code, '/account/security/')}`);

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

/** Notifies the owner that the password was removed, and links to the page that sets one. */
export const passwordRemoved = (writing: EmailContext, { when }: { readonly when: number }): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.password_removed.subject', { product: product.name }),
    body: [
      paragraph(say('mail.password_removed.lead', { when: dateTime(when) })),
      paragraph(say('mail.password_removed.not_you')),
      button(say('mail.password_removed.button'), recoveryAddress(writing)),
    ],
  };
};
