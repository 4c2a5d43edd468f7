import type { Endpoint } from '../../../contract/endpoint.ts';
import { hours, minutes, seconds } from '../../../contract/units.ts';
import { wait } from '../../../gallery/acts.ts';
import { accountOf } from '../../../gallery/examples/account.ts';
import { computer, devicesReply, office, record, troubled } from '../../../gallery/examples/devices.ts';
import { loses, type Reply } from '../../../gallery/replies.ts';
import type { State, States } from '../../../gallery/state.tsx';
import * as contract from '../../contract/computers.ts';
import { warnings } from '../../contract/record-kinds.ts';
import { having, openFilters, page, some } from '../dashboard.states.tsx';
import { removedDevice } from '../device/device-actions.part.tsx';
import { kindWords } from '../records/record-rows.part.tsx';

/** Responds to the first request only. */
export function onceOnly<E extends Endpoint>(endpoint: E, first: Reply): Reply {
  let asked = 0;
  return {
    endpoint,
    respond: () => {
      asked += 1;
      return asked === 1 ? first.respond() : loses(endpoint).respond();
    },
  };
}
const alarm = { id: 'i', kind: 'computer_silent', acknowledged_at: null } as const;
const settling = { id: 'u', kind: 'computer_silent', unstable: true, first: 'Router', devices: 2 } as const;
const silent = Array.from({ length: 100 }, (_, at) => computer(`PC ${at + 1}`, { silent_for: hours(at + 2) }));
const platforms = ['linux', 'windows', 'macos', 'android'] as const;
const rooms = ['Front desk', 'Warehouse', 'Studio', 'Workshop', 'Laboratory', 'Loading bay', 'Showroom', 'PC'] as const;
export const devicesOf = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    computer(`${rooms[at % rooms.length]} ${Math.floor(at / rooms.length) + 1}`, {
      silent_for: minutes((at % 62) / 2),
      platform: platforms[at % platforms.length] ?? '',
      warnings: at % 9 === 4 ? ['disk_low'] : [],
      tags: [['build'], [], ['rack 1', 'مكتب'], []][at % 4] ?? [],
      // The third was added two hours ago.
      signs: at === 2 ? '1'.repeat(9) : `${'1'.repeat(40 + (at % 30))}${'0'.repeat(at % 7)}`.padStart(96, '10'),
      newest: record(at, 'start'),
    }),
  );
const many = devicesOf(62);
const finding = (words: string) => ({ ...having(many), search: `?find=${encodeURIComponent(words)}` });
const longNames = having([
  computer('Anna-Katharina-Wilhelmine-'.repeat(6), { silent_for: hours(50), warnings: [...warnings] }),
  computer('W'.repeat(170), { platform: 'W'.repeat(60), newest: record(0, 'w'.repeat(58), 'w'.repeat(900)) }),
]);
const removed: State = {
  ...some,
  before: () => {
    some.before();
    removedDevice.write('Printer');
  },
  shows: ['dashboard.notice_removed'],
};

export const states: readonly States[] = [
  {
    of: 'Dashboard devices',
    page: 'dashboard',
    states: {
      devices: {
        ...some,
        shows: [
          'dashboard.state_now',
          'dashboard.state_lately',
          'devices.day',
          'devices.signal',
          'devices.no_signal',
          'devices.all',
        ],
      },
      records: { ...some, shows: ['dashboard.records', 'dashboard.kind_start', 'dashboard.kind_battery_enough'] },
      'needs attention': {
        ...having(troubled),
        shows: [
          'dashboard.attention',
          'dashboard.state_silent',
          'dashboard.state_off',
          'dashboard.state_asleep',
          'dashboard.state_restarting',
          'dashboard.state_overdue',
          'dashboard.state_muted',
          'dashboard.state_copied',
          'dashboard.count_off',
          'dashboard.count_muted',
          ...warnings.map((kind) => kindWords[kind]),
        ],
      },
      'alarms that nobody has acknowledged': {
        ...having([
          computer('Front desk', { silent_for: minutes(6), incidents: [alarm] }),
          computer('Notebook', { silent_for: minutes(6), incidents: [alarm] }),
          computer('Server', {
            incidents: [
              { id: 'j', kind: 'disk_low', acknowledged_at: null },
              { id: 'm', kind: 'memory_high', acknowledged_at: null },
            ],
          }),
          computer('Office', {
            incidents: [
              { id: 's', kind: 'computer_stopped', acknowledged_at: null },
              { id: 'r', kind: 'record', acknowledged_at: null },
            ],
          }),
          computer('Gateway', {
            silent_for: minutes(9),
            incidents: [{ ...alarm, id: 'k', acknowledged_at: '2026-11-21T11:58:00Z' }],
          }),
        ]),
        shows: [
          ...(['mail.incident.silent', 'dashboard.state_silent'] as const),
          ...(['dashboard.kind_disk_low', 'dashboard.count_silent', 'dashboard.count_warned'] as const),
          ...(['dashboard.alarm_value', 'dashboard.alarm_record', 'rules.stopped'] as const),
        ],
      },
      'an alarm about a value': {
        ...having([computer('Server', { incidents: [{ id: 'j', kind: 'disk_low', acknowledged_at: null }] })]),
        shows: ['mail.incident.disk_low', 'dashboard.kind_disk_low'],
      },
      'an alarm whose devices are all back': {
        ...having(
          office,
          accountOf({ open_incidents: 1, unread_notifications: 2 }),
          devicesReply(office, [{ ...settling, ends_at: '2026-11-21T12:20:00Z' }]),
        ),
        shows: ['dashboard.settling', 'incidents.count_open', 'dashboard.unread'],
      },
      'many devices': {
        ...having(many),
        shows: ['dashboard.count_silent', 'devices.state'],
      },
      'many devices in a table': { ...having(many), search: '?view=table', shows: ['dashboard.attention_more'] },
      'two devices as tiles': { ...some, search: '?view=compact', shows: ['devices.all'] },
      'device found': { ...finding('pc 7'), shows: ['dashboard.find', 'dashboard.found'] },
      'no device found': { ...finding('Chrome OS'), shows: ['dashboard.found'] },
      'much needs attention': { ...having(silent), shows: ['dashboard.attention_more'] },
      'long names': { ...longNames, shows: ['dashboard.state_silent'] },
      'long names as tiles': { ...longNames, search: '?view=compact', shows: ['dashboard.count_devices'] },
      'no records': { ...having(office, page([])), shows: ['dashboard.records_none'] },
      'only records not had': { ...having(office, loses(contract.listRecords)), shows: ['failure.no_answer'] },
      'no longer up to date': {
        ...having(office, onceOnly(contract.listComputers, devicesReply(office))),
        acts: [wait(seconds(6))],
        shows: ['dashboard.stale'],
      },
    },
  },
  {
    of: 'Devices',
    page: 'devices',
    states: {
      all: { ...having(troubled), shows: ['devices.page', 'dashboard.state_now'] },
      'off and muted, as tiles': {
        ...having(troubled),
        search: '?view=compact',
        shows: ['dashboard.count_off', 'dashboard.count_muted'],
      },
      none: { ...having([]), shows: ['dashboard.empty_title'] },
      many: { ...having(many), shows: ['dashboard.count_devices', 'dashboard.attention_more'] },
      'by state': { ...having(many), search: '?state=warned', shows: ['dashboard.found'] },
      'by system, backwards': { ...having(many), search: '?system=Linux&sort=-name', shows: ['dashboard.found'] },
      'with a tag': { ...having(many), search: '?tag=build', acts: [openFilters], shows: ['devices.tag'] },
      'grouped by tag': { ...having(many), search: '?by=tag', acts: [openFilters], shows: ['devices.by_tag'] },
      'grouped by tag, as tiles': { ...having(many), search: '?by=tag&view=compact', shows: ['devices.untagged'] },
      'long tags': {
        ...having([computer('PC', { tags: ['W'.repeat(30), 'y'.repeat(30), 'rack 1'] })]),
        search: '?by=tag',
        acts: [openFilters],
        shows: ['devices.tag'],
      },
      'none found': { ...having(many), search: '?system=BeOS', shows: ['dashboard.found'] },
      'one was removed': removed,
      'being read': { ...having([]), replies: [], shows: ['frame.loading'] },
    },
  },
];
