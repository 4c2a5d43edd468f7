import { button, type EmailContent, type EmailContext, paragraph, recoveryAddress } from '../email/email-content.ts';
import { type RequestOrigin, requestOriginDetails } from '../email/request-origin.ts';

/** The first sign-in, others batched with it, and the number of further ones that are only counted. */
export interface SignIns extends RequestOrigin {
  readonly others?: readonly RequestOrigin[];
  readonly more?: number;
}

/** Informs the owner about sign-ins on new devices, and what to do if it was someone else. */
export const newDevice = (writing: EmailContext, { others = [], more = 0, ...first }: SignIns): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.new_device.subject', { product: product.name }),
    body: [
      paragraph(say('mail.new_device.lead')),
      ...[first, ...others].map((signIn) => requestOriginDetails(writing, signIn)),
      ...(more > 0 ? [paragraph(say('mail.new_device.more', { count: String(more) }))] : []),
      paragraph(say('mail.new_device.you')),
      paragraph(say('mail.new_device.not_you')),
      button(say('mail.new_device.button'), recoveryAddress(writing)),
    ],
  };
};
