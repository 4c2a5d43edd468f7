import { days, hours, minutes } from '../../../contract/units.ts';
import type { EmailContext } from '../../../outbox/email/email-content.ts';
import type { AlarmMessage } from './channel.ts';

type Say = EmailContext['say'];

interface Wording {
  readonly say: Say;
  /** BCP 47. */
  readonly language: string;
  /** Formats a time with its zone. */
  readonly dateTime: (at: number) => string;
  readonly now: number;
}

const states = {
  computer_silent: 'mail.incident.silent',
  disk_low: 'mail.incident.disk_low',
  battery_low: 'mail.incident.battery_low',
  computer_stopped: 'mail.incident.stopped',
  record: 'mail.incident.record',
  disk_high: 'mail.incident.value',
  memory_low: 'mail.incident.value',
  memory_high: 'mail.incident.value',
  battery_high: 'mail.incident.value',
  unstable: 'mail.incident.unstable',
  ended: 'mail.incident.ended',
} as const;

/** "Silent: Front desk and 2 more", the lines below it, and each named device with how long it has been silent. */
export function describeIncident(
  { event, report }: Pick<AlarmMessage, 'event'> & { readonly report: NonNullable<AlarmMessage['report']> },
  { say, language, dateTime, now }: Wording,
) {
  const { incident, counts, members, isUndelivered } = report;
  const { kind, began_at: began, ended_at: ended, tag, address } = incident;
  const others = Math.max(0, (incident.first_size || counts.total) - 1);
  const device = members[0]?.name ?? '';
  const devices = others > 0 ? say('mail.incident.more', { device, count: String(others) }) : device;
  const state = states[event === 'ended' || event === 'unstable' ? event : kind];
  const duration = inWords((ended ?? now) - began, language);
  const values = { duration, when: dateTime(began), count: String(counts.total) };
  const shared = [tag, address].filter((one) => one !== null);
  return {
    title: say(state, { devices }),
    lines: [
      say(ended === null ? 'mail.incident.since' : 'mail.incident.lasted', values),
      ...(shared.length > 0 && counts.total > 1 ? [say('mail.incident.shared', { what: shared.join(', ') })] : []),
      ...(event === 'reminder' ? [say('mail.incident.reminder')] : []),
      ...(isUndelivered ? [say('mail.incident.undelivered')] : []),
    ],
    devices: members.map(({ computer_id: id, name, since, back_at }) => ({
      id,
      name,
      duration: inWords((back_at ?? ended ?? now) - since, language),
    })),
    path: `/alarms/?incident=${incident.id}`,
  };
}

const units = [
  ['day', days(1)],
  ['hour', hours(1)],
  ['minute', minutes(1)],
] as const;

/** "12 minutes", "3 hours", "2 days": whole units, rounded down, at least a minute. */
function inWords(duration: number, language: string): string {
  const [unit, length] = units.find(([, one]) => duration >= 2 * one) ?? ['minute', minutes(1)];
  const count = Math.max(1, Math.floor(duration / length));
  return new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
