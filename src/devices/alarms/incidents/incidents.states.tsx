import { submit, type } from '../../../gallery/acts.ts';
import { account, over, signedIn } from '../../../gallery/examples/account.ts';
import { answers, type Reply } from '../../../gallery/replies.ts';
import { refusalsOf, type State, type States } from '../../../gallery/state.tsx';
import { defaultAlarmRules } from '../../contract/alarm-rules.ts';
import {
  changeIncident,
  type Incident,
  type IncidentDetails,
  listIncidents,
  readIncident,
} from './incidents.contract.ts';

const began_at = '2026-11-21T11:00:00Z';
const incident = (known: Partial<Incident> = {}): Incident => ({
  ...{
    id: known.first ?? 'i',
    kind: 'computer_silent',
    began_at,
    ended_at: null,
    ends_at: null,
    acknowledged_at: null,
  },
  ...{
    acknowledged_until: null,
    seen_at: began_at,
    unstable: false,
    first: 'Front desk',
    devices: 1,
    open: 1,
    tag: null,
    address: null,
  },
  ...known,
});
const acknowledged = { acknowledged_at: '2026-11-21T11:12:00Z', acknowledged_until: '2026-11-22T11:12:00Z' };
const ended_at = '2026-11-21T11:42:00Z';
const ends_at = '2026-11-21T12:12:00Z';
const many = incident({ devices: 3, open: 1, tag: 'Berlin', address: '203.0.113.7', seen_at: null });
const details = (known: Partial<IncidentDetails> = {}): IncidentDetails => ({
  ...many,
  // Otherwise the page says so, which is news, for which it reads the same again.
  seen_at: ended_at,
  note: '',
  rules: [...defaultAlarmRules.slice(0, 1)],
  members: [
    { id: 'a', name: 'Front desk', since: began_at, back_at: ended_at, removed: false, end_value: null },
    { id: 'b', name: 'هاتف ليلى', since: began_at, back_at: null, removed: false, end_value: null },
    { id: 'c', name: 'W'.repeat(60), since: began_at, back_at: ended_at, removed: false, end_value: null },
  ],
  messages: [
    {
      ...{ at: '2026-11-21T11:03:00Z', channel: 'email', event: 'began', recipient: 'anna@example.com' },
      ...{ state: 'sent', answer: null, error: null },
    },
    {
      ...{ at: '2026-11-21T11:04:00Z', channel: 'push', event: 'began', recipient: '' },
      ...{ state: 'superseded', answer: null, error: null },
    },
    {
      ...{ at: '2026-11-21T11:10:00Z', channel: 'sms', event: 'escalated', recipient: '…89' },
      ...{ state: 'failed', answer: null, error: 'the provider answered 402' },
    },
    ...(['unanswered', 'answered', 'acknowledged', null] as const).map((answer, at) => ({
      ...({ at: `2026-11-21T11:2${at}:00Z`, channel: 'call', event: 'escalated', recipient: '…89' } as const),
      ...({ state: answer ? 'sent' : 'waiting', answer, error: null } as const),
    })),
  ],
  ...known,
});
const list = (...incidents: readonly Incident[]) =>
  ({
    ...signedIn,
    replies: [answers(listIncidents, { incidents: [...incidents], unseen: 0 }), account],
  }) satisfies Partial<State>;
const one = (known: Partial<IncidentDetails> = {}, ...more: readonly Reply[]) =>
  ({
    ...signedIn,
    search: '?incident=i',
    replies: [...more, answers(readIncident, details(known)), answers(changeIncident, details(known)), account],
  }) satisfies Partial<State>;

export const states: readonly States[] = [
  {
    of: 'Incidents',
    page: 'alarms',
    states: {
      none: { ...list(), shows: ['account_alarms.page', 'incidents.none'] },
      'none open': {
        ...list(incident({ kind: 'disk_low', first: 'Server', ended_at, ...acknowledged })),
        shows: ['dashboard.attention', 'incidents.none_open', 'incidents.ended_list'],
      },
      'open and past': {
        ...list(
          many,
          incident({ unstable: true, first: 'Router', open: 0, ends_at }),
          incident({ kind: 'battery_low', first: 'هاتف ليلى', ...acknowledged }),
          incident({ kind: 'disk_low', first: 'Server', ended_at, ...acknowledged }),
          incident({ kind: 'computer_stopped', first: 'Office', ended_at }),
          incident({ kind: 'record', first: 'Door', ended_at }),
          incident({ unstable: true, first: 'Gateway', ended_at }),
        ),
        shows: [
          ...([
            'dashboard.attention',
            'incidents.ended_list',
            'incidents.unseen',
            'incidents.acknowledged_until',
          ] as const),
          ...(['mail.incident.silent', 'mail.incident.battery_low', 'incidents.acknowledged'] as const),
          ...(['mail.incident.stopped', 'mail.incident.record'] as const),
          ...([
            'mail.incident.disk_low',
            'mail.incident.unstable',
            'mail.incident.since',
            'mail.incident.lasted',
            'dashboard.settling',
          ] as const),
        ],
      },
      ...refusalsOf(listIncidents, {
        from: { ...signedIn, replies: [account, ...over] },
        words: { not_signed_in: 'failure.session_ended' },
      }),
    },
  },
  {
    of: 'Incident',
    page: 'alarms',
    states: {
      open: {
        ...one(),
        shows: [
          ...(['incidents.acknowledge', 'devices.page', 'dashboard.recovered', 'incidents.note'] as const),
          ...(['incidents.messages', 'incidents.push', 'incidents.sms', 'incidents.call'] as const),
          ...(['incidents.sent', 'incidents.superseded', 'incidents.failed', 'incidents.waiting'] as const),
          ...(['incidents.by_key', 'incidents.no_key', 'incidents.unanswered'] as const),
          ...(['mail.incident.shared', 'incidents.rule', 'rules.silent'] as const),
        ],
      },
      acknowledged: {
        ...one(acknowledged),
        shows: ['incidents.acknowledged_until', 'incidents.unacknowledge'],
      },
      'note too long': {
        ...one({ messages: [] }),
        acts: [type({ note: 'x'.repeat(2001) }), submit],
        shows: ['invalid.note_too_long'],
      },
      'note saved': {
        ...one({ ended_at, messages: [], rules: [null] }),
        acts: [type({ note: 'The switch was replaced.' }), submit],
        shows: ['account.saved', 'mail.incident.lasted', 'incidents.rule_removed'],
      },
      'of a removed device': {
        ...one({
          ...{ kind: 'record', ended_at, messages: [], devices: 2 },
          members: [
            { id: 'a', name: 'Front desk', since: began_at, back_at: ended_at, removed: true, end_value: null },
            { id: 'b', name: 'Door', since: began_at, back_at: ended_at, removed: false, end_value: null },
          ],
        }),
        shows: ['dashboard.notice_removed', 'mail.incident.record'],
      },
      ...Object.fromEntries(
        (['disk', 'memory', 'battery'] as const).map((value) => [
          `${value} fine again`,
          {
            ...one({
              ...{ kind: `${value}_low`, ended_at, messages: [] },
              members: [
                { id: 'a', name: 'Front desk', since: began_at, back_at: ended_at, removed: false, end_value: 39 },
              ],
            }),
            shows: [`mail.incident.${value}`],
          } satisfies State,
        ]),
      ),
      ...refusalsOf(readIncident, {
        from: { ...signedIn, search: '?incident=i', replies: [account, ...over] },
        words: { not_signed_in: 'failure.session_ended' },
      }),
    },
  },
];
