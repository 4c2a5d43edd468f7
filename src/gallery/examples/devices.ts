import type { ResponseBody } from '../../contract/endpoint.ts';
import { hours, minutes } from '../../contract/units.ts';
import type { Alarms } from '../../devices/alarms/alarms.contract.ts';
import { defaultAlarmRules } from '../../devices/contract/alarm-rules.ts';
import {
  listComputers,
  type listNotifications,
  type listRecords,
  type readComputer,
  type requestEnrolment,
} from '../../devices/contract/computers.ts';
import type { createEnrolmentKey, listEnrolmentKeys } from '../../devices/contract/enrolment-keys.ts';
import { type OffReason, recordKinds, warnings } from '../../devices/contract/record-kinds.ts';
import type { requestCall } from '../../journeys/confirm-phone/confirm-phone.contract.ts';
import { answers } from '../replies.ts';

type ComputerRecord = ResponseBody<typeof listRecords>['records'][number];

/** A record of the office’s computers; a higher place is older. */
export const record = (place: number, kind: string, text = 'As the device wrote it.'): ComputerRecord => ({
  id: String(1000 - place).padStart(6, '0'),
  computer: place % 2 === 0 ? 'Front desk' : 'Notebook',
  at: new Date(Date.UTC(2026, 10, 21, 12, -place)).toISOString(),
  kind,
  text,
});

/** A record of each kind, and one of a kind without text of ours. */
export const recordOfEachKind = [...recordKinds, 'door'].map((kind, place) => record(place, kind));

type Computer = ResponseBody<typeof listComputers>['computers'][number];

/** A computer that reports without a gap. */
export const computer = (name: string, known: Partial<Computer> = {}): Computer => ({
  id: name,
  name,
  incidents: [],
  kind: 'computer',
  tags: [],
  platform: 'linux',
  version: '1.0.0',
  created_at: '2026-11-01T08:00:00Z',
  last_seen_at: '2026-11-21T12:00:00Z',
  silent_for: 0,
  silence: known.silent_for ?? 0,
  off: null,
  muted: false,
  copied: false,
  signs: '1'.repeat(96),
  warnings: [],
  newest: null,
  ...known,
});

export const devicesReply = (
  computers: readonly Computer[],
  settling: ResponseBody<typeof listComputers>['settling'] = [],
) => answers(listComputers, { computers: [...computers], settling });

/** A computer that has just been added. */
export const newComputer = (name: string): Computer =>
  computer(name, {
    version: null,
    created_at: '2026-01-01T00:00:00Z',
    last_seen_at: '2026-01-01T00:00:00Z',
    signs: '',
  });

export const office = [
  computer('Front desk', { newest: record(0, 'start') }),
  computer('Notebook', {
    platform: 'windows',
    silent_for: minutes(12),
    signs: '0'.repeat(30) + '1'.repeat(40) + '0'.repeat(20) + '1'.repeat(6),
    newest: record(1, 'network_back'),
  }),
];
const goodbye = (reason: OffReason, returns_in: number | null = null) => ({ reason, returns_in });
/** Computers in each state. */
export const troubled = [
  ...office,
  computer('Printer', { silent_for: hours(9), off: goodbye('shutdown') }),
  computer('Tablet', { silent_for: hours(7), off: goodbye('suspend') }),
  computer('Kiosk', { silent_for: minutes(2), off: goodbye('restart', minutes(13)) }),
  computer('Gateway', { silent_for: minutes(25), off: goodbye('update', -minutes(20)) }),
  computer('Attic', { silent_for: hours(90), muted: true }),
  computer('Copied PC', { copied: true }),
  computer('Server', {
    silent_for: hours(5),
    signs: '1'.repeat(76) + '0'.repeat(20),
    warnings: warnings.filter((kind) => kind !== 'battery_low'),
  }),
  computer('Render node', { incidents: [{ id: 'm', kind: 'memory_high', acknowledged_at: null }] }),
  computer('هاتف ليلى', { platform: 'android', warnings: ['battery_low'], newest: record(2, 'door', 'Opened.') }),
];
/** Thirty days of a computer that is off at night (`history` in the contract). */
export const month = `${'0c'.repeat(4)}${'00366cc6'.repeat(27)}006cc`;

/** What a notebook says about itself, and its last week. */
export const readings: NonNullable<Reading['readings']> = {
  ...{ disk_free: 38_200_000_000, disk_size: 256_000_000_000, memory_free: 3_400_000_000, memory_size: 8_200_000_000 },
  ...{ battery: 84, uptime: 1_036_800, addresses: ['192.168.1.23', 'fd00::21f:5bff:fe31:8d02'] },
  ...{ system: 'Ubuntu 24.04.2 LTS', at: '2026-11-21T12:00:00Z' },
};
const week = Array.from({ length: 50 }, (_, at) => at);
export const trends: NonNullable<Reading['trends']> = {
  disk: week.map((at) => Math.round(40 - at / 2)),
  memory: week.map((at) => (at % 8 < 2 ? null : 38 + ((at * 7) % 23))),
  battery: week.map((at) => (at % 8 < 2 ? null : 100 - ((at * 11) % 60))),
};
type Reading = ResponseBody<typeof readComputer>;

type ComputerAlarms = Alarms['computers'][number];

/** The alarms of one computer. */
export const computerAlarms = (name: string, known: Partial<ComputerAlarms> = {}): ComputerAlarms => ({
  ...{ id: name, name, tags: [], kind: 'computer', muted: false, muted_until: null },
  ...known,
});

export const alarms: Alarms = {
  rules: [...defaultAlarmRules],
  channels: ['email', 'push', 'call'],
  email_confirmed: true,
  quiet_hours: null,
  time_zone: 'Europe/Berlin',
  pauses: [],
  usually_off: [],
  computers: [computerAlarms('Front desk'), computerAlarms('Server')],
};

type Notification = ResponseBody<typeof listNotifications>['notifications'][number];

/** A notification of the dashboard; a higher place is older. */
export const notification = (
  place: number,
  read: boolean,
  kind: Notification['kind'] = 'computer_added',
): Notification => ({
  id: String(place),
  at: new Date(Date.UTC(2026, 10, 21, 12, -place)).toISOString(),
  kind,
  computer: kind === 'computer_removed' || kind === 'alarm_test' ? null : 'Front desk',
  began_at: null,
  ended_at: null,
  name: 'Front desk',
  read,
});

const command =
  'curl -fsS -o vestibule-agent.mjs https://account.example.com/computers/agent.mjs && node vestibule-agent.mjs install 7K2M-QF8R-0XTB --server https://account.example.com';

/** A code that adds one computer. */
export const enrolment: ResponseBody<typeof requestEnrolment> = {
  code: '7K2M-QF8R-0XTB',
  expires_in: 900,
  command,
  commands: { linux: command, macos: command, windows: command },
  undo: 'node "$HOME/.vestibule-agent/vestibule-agent.mjs" uninstall',
  needs_node: true,
  link: 'https://account.example.com/computers/add/#7K2M-QF8R-0XTB',
};

const executed =
  'curl -fsS -o vestibule-agent "https://account.example.com/computers/agents/vestibule-agent-$(uname -s)-$(uname -m)" && chmod +x vestibule-agent && ./vestibule-agent install 7K2M-QF8R-0XTB --server https://account.example.com';

/** The same, where the operator has published executables. */
export const enrolmentWithoutNode: typeof enrolment = {
  ...enrolment,
  command: executed,
  commands: { linux: executed, macos: executed, windows: executed },
  undo: '~/.vestibule-agent/vestibule-agent uninstall',
  needs_node: false,
};

/** A key that adds many computers, as the list shows it. */
export const enrolmentKey = (differing: Partial<EnrolmentKey> = {}): EnrolmentKey => ({
  id: 'k',
  name: 'Berlin office',
  tags: ['Berlin'],
  networks: ['203.0.113.0/24'],
  max_uses: 60,
  uses: 12,
  state: 'valid',
  created_at: '2026-11-20T09:00:00.000Z',
  expires_at: '2026-11-27T09:00:00.000Z',
  last_used_at: '2026-11-21T11:42:00.000Z',
  ...differing,
});

type EnrolmentKey = ResponseBody<typeof listEnrolmentKeys>['keys'][number];

const keyCommand = command.replace('7K2M-QF8R-0XTB', 'vk_q3Zt8mF1cHl2b0x5d2RrN0pUaQhT7wLz');

/** A key that was created just now. */
export const createdKey: ResponseBody<typeof createEnrolmentKey> = {
  secret: 'vk_q3Zt8mF1cHl2b0x5d2RrN0pUaQhT7wLz',
  key: enrolmentKey({ uses: 0, last_used_at: null }),
  commands: { linux: keyCommand, macos: keyCommand, windows: keyCommand },
};

/** A call that has been placed to confirm a number. */
export const placedCall: ResponseBody<typeof requestCall> = {
  call: 'c',
  digits: 4,
  expires_in: 300,
  resend_in: 30,
  attempts_left: 5,
};
