import { hours } from '../../../contract/units.ts';
import { press, submit, type, unfold } from '../../../gallery/acts.ts';
import { over } from '../../../gallery/examples/account.ts';
import { computer, computerAlarms, month, readings, record, trends } from '../../../gallery/examples/devices.ts';
import { answers, loses, refuses } from '../../../gallery/replies.ts';
import { refusalsOf, type States } from '../../../gallery/state.tsx';
import { readComputerAlarms } from '../../alarms/device-alarms.contract.ts';
import { defaultAlarmRules } from '../../contract/alarm-rules.ts';
import * as contract from '../../contract/computers.ts';
import { having, named, page } from '../dashboard.states.tsx';

const reading = (known: Parameters<typeof computer>[1] = {}, name = 'Front desk') =>
  answers(contract.readComputer, {
    computer: computer(name, { newest: record(0, 'start'), ...known }),
    ...{ history: month, readings, trends },
    at: '2026-11-21T12:00:00Z',
  });
const own = page([record(0, 'start'), record(2, 'network_back'), record(4, 'door', 'Opened.')]);
const alarmsOf = (known: Parameters<typeof computerAlarms>[1] = {}) =>
  answers(readComputerAlarms, { rules: [...defaultAlarmRules], computer: computerAlarms('Front desk', known) });
const alarms = alarmsOf();
const about = (known: Parameters<typeof computer>[1] = {}, name?: string) => ({
  ...having([], own, reading(known, name), alarmsOf({ muted: known.muted === true })),
  params: { id: 'Front desk' },
});
const renaming = { ...about(), acts: [press('dashboard.rename')] };
const tagged = about({ tags: ['rack 1', 'build', 'W'.repeat(30)] });
const tagging = { ...about(), acts: [press('device.tags_add')] };
const removing = { ...about(), acts: [press('dashboard.remove_yes')] };
const signs = '1'.repeat(40) + '0'.repeat(26) + '1'.repeat(30);

export const states: readonly States[] = [
  {
    of: 'Device',
    page: 'device',
    states: {
      active: {
        ...about({ signs, created_at: '2026-09-01T08:00:00Z' }),
        shows: [
          'rules.title',
          'device.version',
          'device.added',
          'device.active_month',
          'devices.day',
          'devices.month',
          'device.readings',
          'device.disk',
          'device.memory',
          'device.battery',
          'device.free',
          'device.uptime',
          'device.addresses',
          'devices.system',
          'records.all',
        ],
      },
      silent: {
        ...about({
          silent_for: hours(5),
          warnings: ['disk_low'],
          signs: '1'.repeat(76) + '0'.repeat(20),
          version: null,
        }),
        shows: ['dashboard.state_silent', 'dashboard.kind_disk_low'],
      },
      copied: { ...about({ copied: true }), shows: ['device.copied', 'dashboard.state_copied'] },
      off: {
        ...about({ silent_for: hours(5), off: { reason: 'shutdown', returns_in: null }, muted: true }),
        shows: ['dashboard.state_off', 'dashboard.state_muted', 'alarms.muted', 'alarms.unmute'],
      },
      'muted for a day': {
        ...having([], own, reading({ muted: true }), alarmsOf({ muted: true, muted_until: '2026-11-22T12:00:00Z' })),
        params: { id: 'Front desk' },
        shows: ['alarms.muted_until'],
      },
      'as a table': { ...about({ signs }), acts: [unfold('device.table')], shows: ['device.table', 'device.time'] },
      'without a history': {
        ...having(
          [],
          page([]),
          answers(contract.readComputer, { ...known(), history: '1', readings: null, trends: null }),
          alarms,
        ),
        params: { id: 'Front desk' },
        shows: ['dashboard.records_none', 'device.active_since'],
      },
      'a long name': { ...about({}, 'Anna-Katharina-Wilhelmine-'.repeat(6)), shows: ['devices.month'] },
      'an Arabic name': { ...about({}, 'هاتف ليلى'), shows: ['devices.month'] },
      'alarms not had': {
        ...having([], own, reading(), loses(readComputerAlarms)),
        params: { id: 'Front desk' },
        shows: ['failure.no_answer'],
      },
      gone: {
        ...having([], refuses(contract.readComputer, 'not_found')),
        params: { id: 'x' },
        shows: ['device.gone'],
      },
      'being read': { ...having([]), params: { id: 'x' }, shows: ['frame.loading'] },
      renaming: { ...renaming, shows: ['dashboard.name', 'dashboard.rename', 'account.cancel'] },
      'name missing': {
        ...renaming,
        acts: [...renaming.acts, type({ name: '' }), submit],
        shows: ['form.problem', 'invalid.required'],
      },
      renamed: {
        ...renaming,
        replies: [answers(contract.renameComputer, computer('Back office')), ...renaming.replies],
        acts: [...renaming.acts, type({ name: 'Back office' }), submit],
        shows: ['account.saved'],
      },
      'with tags': { ...tagged, shows: ['device.tags_edit'] },
      'tags being changed': {
        ...tagged,
        acts: [press('device.tags_edit')],
        shows: ['device.tags', 'device.tags_hint', 'account.save'],
      },
      'tags changed': {
        ...tagging,
        replies: [answers(contract.setComputerTags, computer('Front desk', { tags: ['kitchen'] })), ...tagging.replies],
        acts: [...tagging.acts, type({ tags: 'kitchen' }), submit],
        shows: ['device.tags_edit'],
      },
      'tags refused': {
        ...tagging,
        acts: [...tagging.acts, type({ tags: 'x'.repeat(31) }), submit],
        shows: ['invalid.tags_invalid'],
      },
      ...named(
        'tagging',
        refusalsOf(contract.setComputerTags, {
          from: { ...tagging, replies: [...tagging.replies, ...over], acts: [...tagging.acts, submit] },
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
      'being asked about': {
        ...removing,
        shows: ['dashboard.remove_sure', 'dashboard.remove', 'dashboard.remove_no'],
      },
      'being removed': {
        ...removing,
        acts: [...removing.acts, press('dashboard.remove')],
        shows: ['form.wait'],
      },
      ...named(
        'renaming',
        refusalsOf(contract.renameComputer, {
          from: { ...renaming, replies: [...renaming.replies, ...over], acts: [...renaming.acts, submit] },
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
      ...named(
        'removing',
        refusalsOf(contract.removeComputer, {
          from: {
            ...removing,
            replies: [...removing.replies, ...over],
            acts: [...removing.acts, press('dashboard.remove')],
          },
          words: { not_signed_in: 'failure.session_ended' },
        }),
      ),
    },
  },
];

function known() {
  return { computer: computer('Front desk', { signs: '0'.repeat(95).concat('1') }), at: '2026-11-21T12:00:00Z' };
}
