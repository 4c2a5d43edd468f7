import { days, minutes } from '../contract/units.ts';
import {
  details,
  type EmailContent,
  type EmailContext,
  isHarmlessName,
  paragraph,
  type RequestOrigin,
  requestOriginDetails,
} from '../outbox/email/email-content.ts';
import { pageButton, plainNotice } from '../outbox/email/plain-notice.ts';
import { notice, exampleTime as when } from '../outbox/notices.ts';
import { type Warning, warnings } from './contract/record-kinds.ts';

const dashboard = { button: 'mail.computer_added.button', opens: '/dashboard/' } as const;

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
const alarm = (context: EmailContext, { others = [], more = 0, ...first }: Alarms): EmailContent => {
  const { say, product, dateTime } = context;
  return {
    subject: say('mail.alarm.subject', { product: product.name }),
    body: [
      paragraph(say('mail.alarm.lead')),
      details([first, ...others].map(({ kind, device, when }) => say(words[kind], { device, when: dateTime(when) }))),
      ...(more > 0 ? [paragraph(say('mail.alarm.more', { count: String(more) }))] : []),
      pageButton(context, dashboard),
      paragraph(say('mail.alarm.settings')),
    ],
  };
};

/** Shows owners that alarms reach them. */
const alarmTest = plainNotice<{ readonly when: number }>({
  subject: 'mail.alarm_test.subject',
  body: ['mail.alarm_test.lead', dashboard, 'mail.alarm.settings'],
});

interface AddedComputer extends RequestOrigin {
  /** The name that it got when it was added. */
  readonly computer?: string;
}

/** The first computer, others batched with it, and the number of further ones that are only counted. */
interface AddedComputers extends AddedComputer {
  readonly others?: readonly AddedComputer[];
  readonly more?: number;
}

/** Informs the owner about added computers, and what to do if someone else added them. */
const computerAdded = (writing: EmailContext, { others = [], more = 0, ...first }: AddedComputers): EmailContent => {
  const { say, product } = writing;
  return {
    subject: say('mail.computer_added.subject', { product: product.name }),
    body: [
      paragraph(say('mail.computer_added.lead')),
      ...[first, ...others].map((added) => requestOriginDetails(writing, { ...added, device: named(added) })),
      ...(more > 0 ? [paragraph(say('mail.computer_added.more', { count: String(more) }))] : []),
      paragraph(say('mail.computer_added.not_you')),
      pageButton(writing, dashboard),
    ],
  };
};

interface AddedKey extends RequestOrigin {
  /** How many computers it can add. */
  readonly count: number;
  /** When it expires (ms since the epoch). */
  readonly until: number;
}

/** Informs the owner about a key with which several computers can be added, and where to revoke it. */
const enrolmentKeyAdded = (writing: EmailContext, { count, until, ...origin }: AddedKey): EmailContent => {
  const { say, product, dateTime } = writing;
  return {
    subject: say('mail.enrolment_key.subject', { product: product.name }),
    body: [
      paragraph(say('mail.enrolment_key.lead', { count: String(count), when: dateTime(until) })),
      requestOriginDetails(writing, origin),
      paragraph(say('mail.enrolment_key.not_you')),
      pageButton(writing, { button: 'mail.enrolment_key.button', opens: '/computers/add/' }),
    ],
  };
};

/** "Front desk, Windows": owners know their computers by name, and a name alone could be anyone's. */
const named = ({ computer = '', device }: AddedComputer): string =>
  isHarmlessName(computer, digitsOfHostNames) ? `${computer}, ${device}` : device;

/** `DESKTOP-4K2T9P7` and the like; fewer than a phone number has. */
const digitsOfHostNames = 6;

/** The notices about devices; `server/wings.ts` joins them to those about accounts. */
export const noticesOfDevices = {
  computer_added: notice(computerAdded, () => ({ computer: 'Office', device: 'Linux', ip: '192.0.2.7', when }), {
    gathered: true,
  }),
  enrolment_key_added: notice(enrolmentKeyAdded, () => ({
    ...{ count: 60, until: when + days(7), device: 'Firefox, Linux', ip: '192.0.2.7', when },
  })),
  alarm: notice(
    alarm,
    () => ({
      kind: 'computer_silent' as const,
      device: 'Front desk',
      when,
      others: warnings.map((kind, at) => ({ kind, device: `Server ${at + 1}`, when: when + minutes(4 + at) })),
      more: 12,
    }),
    { gathered: true },
  ),
  alarm_test: notice(alarmTest, () => ({ when }), { shortLived: true }),
};

type OfDevices = typeof noticesOfDevices;

declare module '../outbox/notices.ts' {
  interface Notices extends OfDevices {}
}
