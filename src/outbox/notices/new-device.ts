import { pathIn } from '../../contract/languages.ts';
import { button, details, type Letter, paragraph, type Writing } from '../letter/letter.ts';

interface SignIn {
  /** In words of ours such as "Firefox, Windows": a User-Agent could say anything. */
  readonly device: string;
  readonly ip: string;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** Tells the owner of a sign-in on a device that was never seen before, and what to do if it was not them. */
export const newDevice = ({ say, product, language, dateTime }: Writing, { device, ip, when }: SignIn): Letter => ({
  subject: say('mail.new_device.subject', { product: product.name }),
  body: [
    paragraph(say('mail.new_device.lead')),
    details([
      say('mail.detail.device', { device }),
      say('mail.detail.address', { ip }),
      say('mail.detail.when', { when: dateTime(when) }),
    ]),
    paragraph(say('mail.new_device.you')),
    paragraph(say('mail.new_device.not_you')),
    button(say('mail.new_device.button'), `${product.publicUrl}${pathIn(language.code, '/recovery/')}`),
  ],
});
