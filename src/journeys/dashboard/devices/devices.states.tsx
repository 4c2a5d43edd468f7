import * as contract from '../../../contract/computers.ts';
import { hours, minutes, seconds } from '../../../contract/durations.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { choose, press, submit, type, wait } from '../../../gallery/acts.ts';
import { over } from '../../../gallery/anna.ts';
import { answers, breaks, loses, type Reply } from '../../../gallery/replies.ts';
import { refusalsOf, type States } from '../../../gallery/state.ts';
import {
  computer,
  having,
  named,
  notice,
  notices,
  office,
  page,
  record,
  some,
  troubled,
} from '../dashboard.states.tsx';

/** Responds to the first request only. */
function onceOnly<E extends Endpoint>(endpoint: E, first: Reply): Reply {
  let asked = 0;
  return {
    endpoint,
    respond: () => {
      asked += 1;
      return asked === 1 ? first.respond() : loses(endpoint).respond();
    },
  };
}
const silent = Array.from({ length: 100 }, (_, at) => computer(`PC ${at + 1}`, { silent_for: hours(at + 2) }));
const many = Array.from({ length: 100 }, (_, at) => computer(`PC ${at + 1}`, { silent_for: minutes(at / 8) }));
const finding = (words: string) => ({ ...having(many), acts: [type({ find: words })] });
const managing = { ...having(office.slice(0, 1)), acts: [press('dashboard.manage')] };
const removing = { ...managing, acts: [...managing.acts, press('dashboard.remove')] };
const olderFails = onceOnly(contract.listRecords, page([record(0, 'start')], '000900'));

export const states: readonly States[] = [
  {
    of: 'Dashboard devices',
    page: 'dashboard',
    states: {
      devices: {
        ...some,
        shows: ['dashboard.devices', 'dashboard.state_now', 'dashboard.state_lately', 'dashboard.notice_added'],
      },
      records: {
        ...some,
        shows: [
          'dashboard.records',
          'dashboard.filter_device',
          'dashboard.filter_kind',
          'dashboard.filter_all',
          'dashboard.kind_start',
          'dashboard.kind_battery_enough',
        ],
      },
      'needs attention': {
        ...having(troubled),
        shows: [
          'dashboard.attention',
          'dashboard.attention_silent',
          'dashboard.attention_disk',
          'dashboard.attention_battery',
          'dashboard.state_silent',
        ],
      },
      'many devices': {
        ...having(many),
        shows: ['dashboard.find', 'dashboard.attention_more'],
      },
      'device found': { ...finding('pc 7'), shows: ['dashboard.found'] },
      'no device found': { ...finding('Mac'), shows: ['dashboard.found'] },
      'much needs attention': { ...having(silent), shows: ['dashboard.attention_more'] },
      'long names': {
        ...having([
          computer('Anna-Katharina-Wilhelmine-'.repeat(6), { silent_for: hours(50), warnings: ['disk_low'] }),
          computer('W'.repeat(170), { platform: 'W'.repeat(60), newest: record(0, 'w'.repeat(58), 'w'.repeat(900)) }),
        ]),
        shows: ['dashboard.attention_silent'],
      },
      'many records': {
        ...having(office, page(Array.from({ length: 2000 }, (_, at) => record(at, 'network_back')))),
        shows: ['dashboard.kind_network_back'],
      },
      'no records': { ...having(office, page([])), shows: ['dashboard.records_none'] },
      'no records match': {
        ...having(office, page([])),
        acts: [choose('dashboard.filter_kind', 'stop')],
        shows: ['dashboard.records_no_match'],
      },
      'older records': { ...having(office, page([record(0, 'stop')], '000900')), shows: ['dashboard.older'] },
      'older records not had': {
        ...having(office, olderFails),
        acts: [press('dashboard.older')],
        shows: ['failure.no_answer'],
      },
      'no notifications': { ...having(office, notices()), shows: ['dashboard.notifications_none'] },
      'many notifications': {
        ...having(office, notices(...Array.from({ length: 12 }, (_, at) => notice(at, at > 6)))),
        shows: ['dashboard.unread', 'dashboard.mark_read', 'dashboard.mark_one_read', 'dashboard.older'],
      },
      alarms: {
        ...having(
          office,
          notices(
            notice(1, false, 'computer_silent'),
            notice(2, false, 'disk_low'),
            notice(3, true, 'battery_low'),
            notice(4, true, 'alarm_test'),
          ),
        ),
        shows: [
          'dashboard.notice_silent',
          'dashboard.attention_disk',
          'dashboard.attention_battery',
          'dashboard.notice_test',
        ],
      },
      'not marked as read': {
        ...having(office, notices(notice(1, false)), loses(contract.readAllNotifications)),
        acts: [press('dashboard.mark_read')],
        shows: ['failure.no_answer'],
      },
      'one not marked as read': {
        ...having(office, notices(notice(1, false), notice(2, true)), loses(contract.readNotification)),
        acts: [press('dashboard.mark_one_read')],
        shows: ['failure.no_answer'],
      },
      'device managed': { ...managing, shows: ['dashboard.name', 'dashboard.rename', 'dashboard.remove'] },
      'name missing': {
        ...managing,
        acts: [...managing.acts, type({ name: '' }), submit],
        shows: ['form.problem', 'invalid.required'],
      },
      'device being asked about': {
        ...removing,
        shows: ['dashboard.remove_sure', 'dashboard.remove_yes', 'dashboard.remove_no'],
      },
      'device being removed': {
        ...removing,
        acts: [...removing.acts, press('dashboard.remove_yes')],
        shows: ['form.wait'],
      },
      ...named(
        'renaming',
        refusalsOf(contract.renameComputer, {
          from: { ...managing, replies: [...managing.replies, ...over], acts: [...managing.acts, submit] },
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
      ...named(
        'removing',
        refusalsOf(contract.removeComputer, {
          from: {
            ...removing,
            replies: [...removing.replies, ...over],
            acts: [...removing.acts, press('dashboard.remove_yes')],
          },
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
      'only records not had': { ...having(office, loses(contract.listRecords)), shows: ['failure.no_answer'] },
      'only notifications not had': {
        ...having(office, breaks(contract.listNotifications, 502)),
        shows: ['failure.unknown'],
      },
      'no longer up to date': {
        ...having(office, onceOnly(contract.listComputers, answers(contract.listComputers, { computers: office }))),
        acts: [wait(seconds(6))],
        shows: ['dashboard.stale'],
      },
    },
  },
];
