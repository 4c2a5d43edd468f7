import { pathIn } from '../../contract/languages.ts';
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

/** Tells the owner about a passkey, and where to remove it. A thief could have named it to lead the reader elsewhere. */
const aboutPasskey =
  (what: 'added' | 'removed' | 'copied') =>
  (writing: EmailContext, event: PasskeyEvent): EmailContent => {
    const { say, product } = writing;
    const { passkey } = event;
    return {
      subject: say(`mail.passkey_${what}.subject`, { product: product.name }),
      body: [
        paragraph(say(`mail.passkey_${what}.lead`)),
        ...(isHarmlessName(passkey, digitsOfModels) ? [paragraph(say('mail.detail.passkey', { passkey }))] : []),
        requestOriginDetails(writing, event),
        paragraph(say(`mail.passkey_${what}.not_you`)),
        securityButton(writing),
      ],
    };
  };

const securityButton = ({ say, product, language }: EmailContext): Block =>
  button(say('mail.passkey.button'), `${product.publicUrl}${pathIn(language.code, '/account/security/')}`);

export const passkeyAdded = aboutPasskey('added');
export const passkeyRemoved = aboutPasskey('removed');
export const passkeyCopied = aboutPasskey('copied');

/** Tells the owner that the account has no password any more, and how to set one. */
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
