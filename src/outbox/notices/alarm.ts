import type { Warning } from '../../contract/computers/record-kinds.ts';
import { dashboardButton } from '../email/dashboard-button.ts';
import { details, type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

interface Alarm {
  readonly kind: 'computer_silent' | Warning;
  /** The name that its owner gave the computer. */
  readonly device: string;
  /** The last signal of a silent computer, or when we noticed the warning (ms since the epoch). */
  readonly when: number;
}

/** The first alarm, others batched with it, and the number of further ones that are only counted. */
interface Alarms extends Alarm {
  readonly others?: readonly Alarm[];
  readonly more?: number;
}

const words = {
  computer_silent: 'mail.alarm.silent',
  disk_low: 'mail.alarm.disk',
  battery_low: 'mail.alarm.battery',
} as const satisfies Record<Alarm['kind'], string>;

/** Names the computers that need attention, and since when. */
export const alarm = (context: EmailContext, { others = [], more = 0, ...first }: Alarms): EmailContent => {
  const { say, product, dateTime } = context;
  return {
    subject: say('mail.alarm.subject', { product: product.name }),
    body: [
      paragraph(say('mail.alarm.lead')),
      details([first, ...others].map(({ kind, device, when }) => say(words[kind], { device, when: dateTime(when) }))),
      ...(more > 0 ? [paragraph(say('mail.alarm.more', { count: String(more) }))] : []),
      dashboardButton(context),
      paragraph(say('mail.alarm.settings')),
    ],
  };
};
