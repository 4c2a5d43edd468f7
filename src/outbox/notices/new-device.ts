import { button, details, type Letter, paragraph, recoveryAddress, type Writing } from '../letter/letter.ts';

export interface SignIn {
  /** In words of ours such as "Firefox, Windows": a User-Agent could say anything. */
  readonly device: string;
  readonly ip: string;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** The first sign-in, others that were gathered behind it, and how many more are not told one by one. */
export interface SignIns extends SignIn {
  readonly others?: readonly SignIn[];
  readonly more?: number;
}

/** Tells the owner of sign-ins on devices that were never seen before, and what to do if it was not them. */
export const newDevice = (writing: Writing, { others = [], more = 0, ...first }: SignIns): Letter => {
  const { say, product } = writing;
  return {
    subject: say('mail.new_device.subject', { product: product.name }),
    body: [
      paragraph(say('mail.new_device.lead')),
      ...[first, ...others].map((signIn) => detailsOf(writing, signIn)),
      ...(more > 0 ? [paragraph(say('mail.new_device.more', { count: String(more) }))] : []),
      paragraph(say('mail.new_device.you')),
      paragraph(say('mail.new_device.not_you')),
      button(say('mail.new_device.button'), recoveryAddress(writing)),
    ],
  };
};

const detailsOf = ({ say, dateTime }: Writing, { device, ip, when }: SignIn) =>
  details([
    say('mail.detail.device', { device }),
    say('mail.detail.address', { ip }),
    say('mail.detail.when', { when: dateTime(when) }),
  ]);
