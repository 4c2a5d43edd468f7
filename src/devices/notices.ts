import { pathIn } from '../contract/languages.ts';
import { days, minutes } from '../contract/units.ts';
import {
  button,
  type EmailContent,
  type EmailContext,
  isHarmlessName,
  isolate,
  pageButton,
  paragraph,
  plainNotice,
  type RequestOrigin,
  requestOriginDetails,
  textLink,
} from '../outbox/email/email-content.ts';
import { notice, exampleTime as when } from '../outbox/notices.ts';
import type { IncidentReport } from './alarms/channels/channel.ts';
import { describeIncident } from './alarms/channels/words.ts';
import type { AlarmMessageEvent } from './contract/alarm-channels.ts';

const dashboard = { button: 'mail.computer_added.button', opens: '/dashboard/' } as const;

interface IncidentNotice {
  readonly event: AlarmMessageEvent;
  readonly report: IncidentReport;
  /** When it was decided (ms since the epoch). */
  readonly at: number;
}

/** Says what happened to which devices and since when; all emails about an incident are one thread. */
const incident = (context: EmailContext, { event, report, at }: IncidentNotice): EmailContent => {
  const { say, product, language, dateTime } = context;
  const wording = { say, language: language.tag, dateTime, now: at };
  const { title, lines, devices, path } = describeIncident({ event, report }, wording);
  const page = (address: string) => `${product.publicUrl}${pathIn(language.code, address)}`;
  return {
    subject: title,
    thread: `incident.${report.incident.id}`,
    body: [
      ...lines.map(paragraph),
      ...devices.map(({ id, name, facts }) =>
        textLink(`${isolate(isHarmlessName(name, digitsOfHostNames) ? name : id)} · ${facts}`, page(`/devices/${id}/`)),
      ),
      button(say('mail.incident.open'), page(path)),
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
  incident: notice(incident, () => ({ event: 'began' as const, report: exampleReport(), at: when + minutes(65) })),
  alarm_test: notice(alarmTest, () => ({ when }), { shortLived: true }),
};

const names = ['Front desk', 'Office', 'Server'];

const exampleReport = (): IncidentReport => ({
  incident: {
    id: '01962f3c-8a4e-7c31-9b0d-5f2e7a6c1d48',
    account_id: '',
    kind: 'computer_silent',
    began_at: when,
    latest_at: when,
    opened_at: when,
    changed_at: when,
    due_at: when,
    first_size: names.length,
    announced: 0,
    announced_at: null,
    unstable: 0,
    tag: 'Hamburg',
    address: '203.0.113.7',
    ended_at: null,
    acknowledged_at: null,
    note: '',
    seen_at: null,
  },
  counts: { total: names.length, open: names.length, kept: names.length, back_at: null, joined_at: when },
  members: names.map((name, at) => ({
    incident_id: '',
    computer_id: `pT4wZ1xK8vQ2nB6mR9sL${at}`,
    name,
    tags: '[]',
    address: null,
    rule: '',
    since: when + minutes(at),
    joined_at: when,
    back_at: null,
    end_value: null,
    removed: false,
  })),
  undelivered: undefined,
});

type OfDevices = typeof noticesOfDevices;

declare module '../outbox/notices.ts' {
  interface Notices extends OfDevices {}
}
