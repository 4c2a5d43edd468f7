import { code, details, type Letter, paragraph, type Writing } from '../letter/letter.ts';

interface SignInCode {
  /** Six digits. */
  readonly code: string;
  /** In words of ours such as "Firefox, Windows": a User-Agent could say anything. */
  readonly device: string;
  readonly ip: string;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** A code to type instead of the password, in the browser that asked for it; no link, which somebody else could be made to open. */
export const signInCode = ({ say, product, dateTime }: Writing, asked: SignInCode): Letter => ({
  subject: say('mail.sign_in_code.subject', { code: asked.code, product: product.name }),
  body: [
    paragraph(say('mail.sign_in_code.lead')),
    code(asked.code),
    paragraph(say('mail.sign_in_code.validity')),
    details([
      say('mail.detail.device', { device: asked.device }),
      say('mail.detail.address', { ip: asked.ip }),
      say('mail.detail.when', { when: dateTime(asked.when) }),
    ]),
    paragraph(say('mail.sign_in_code.not_you')),
  ],
});
