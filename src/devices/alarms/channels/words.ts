import { localeOf, pathIn } from '../../../contract/languages.ts';
import { wholeUnits } from '../../../contract/units.ts';
import { wordsIn } from '../../../outbox/compose.ts';
import { type EmailContext, isolate } from '../../../outbox/email/email-content.ts';
import { alarmValueOf, endValueWords, incidentWords, isMoment } from '../../contract/alarm-kinds.ts';
import type { AlarmMessage, ChannelService } from './channel.ts';

type Say = EmailContext['say'];

interface Wording {
  readonly say: Say;
  /** BCP 47. */
  readonly language: string;
  /** Formats a time with its zone. */
  readonly dateTime: (at: number) => string;
  readonly now: number;
}

const states = { ...incidentWords, unstable: 'mail.incident.unstable', ended: 'mail.incident.ended' } as const;

/**
 * "Silent: Front desk and 2 more", the lines below it, and each named device with what is known about it: for how long,
 * and at its end the value that its rule is about.
 */
export function describeIncident(
  { event, report }: Pick<AlarmMessage, 'event'> & { readonly report: NonNullable<AlarmMessage['report']> },
  { say, language, dateTime, now }: Wording,
) {
  const { incident, counts, members, undelivered } = report;
  const { kind, began_at: began, ended_at: ended, tag, address } = incident;
  const others = Math.max(0, (incident.first_size || counts.total) - 1);
  const device = members[0]?.name ?? '';
  const devices = others > 0 ? say('mail.incident.more', { device, count: String(others) }) : device;
  const state = states[event === 'ended' || event === 'unstable' ? event : kind];
  const duration = inWords((ended ?? now) - began, language);
  const length = { duration, when: dateTime(began) };
  const value = alarmValueOf(kind);
  const share = new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'percent' });
  const shared = [tag, address].filter((one) => one !== null);
  return {
    title: say(state, { devices }),
    lines: [
      isMoment(kind) ? dateTime(began) : say(ended === null ? 'mail.incident.since' : 'mail.incident.lasted', length),
      ...(shared.length > 0 && counts.total > 1 ? [say('mail.incident.shared', { what: shared.join(', ') })] : []),
      ...(event === 'reminder' ? [say('mail.incident.reminder')] : []),
      ...(undelivered ? [say('mail.incident.undelivered', undelivered)] : []),
    ],
    devices: members.flatMap(({ computer_id: id, name, removed, since, back_at, end_value }) => {
      if (removed) return [];
      const facts = [
        isMoment(kind) ? dateTime(since) : inWords((back_at ?? ended ?? now) - since, language),
        ...(value && typeof end_value === 'number'
          ? [say(endValueWords[value], { share: share.format(end_value / 100) })]
          : []),
      ];
      return [{ id, name, facts: facts.join(' · ') }];
    }),
    duration,
    path: `/alarms/?incident=${incident.id}`,
  };
}

/** The words of a message or test in the language of its account, and the page that it leads to. */
export async function describeMessage({ config, now }: ChannelService, { account, event, report }: AlarmMessage) {
  const { say, language, dateTime } = await wordsIn({ locale: account.locale, zone: account.time_zone ?? undefined });
  if (!report) {
    const title = say('mail.alarm_test.subject', { product: config.PRODUCT_NAME });
    return { language, title, lines: [], path: pathIn(language.code, '/alarms/') };
  }
  const wording = { say, language: localeOf(language.code), dateTime, now: now() };
  const { title, lines, devices, path } = describeIncident({ event, report }, wording);
  // Of a single silent device, the lines above say it all.
  const isMore = event === 'ended' && (devices.length > 1 || alarmValueOf(report.incident.kind) !== undefined);
  const ends = isMore ? devices.map(({ name, facts }) => `${isolate(name)} · ${facts}`) : [];
  return { language, title, lines: [...lines, ...ends], path: pathIn(language.code, path) };
}

/** "12 minutes", "3 hours", "2 days". */
function inWords(duration: number, language: string): string {
  const { unit, count } = wholeUnits(duration);
  return new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
