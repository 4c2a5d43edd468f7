import { Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { minutes } from '../../../contract/units.ts';
import { type AlarmKind, alarmKinds, alarmValueOf, valueNames } from '../../contract/alarm-kinds.ts';
import type { listComputers } from '../../contract/computers.ts';
import { type OffReason, returnWithin } from '../../contract/record-kinds.ts';
import css from './device-state.module.css';

export type Computer = ResponseBody<typeof listComputers>['computers'][number];

/** Agents send a heartbeat every minute; one may be late. */
const nowWithin = minutes(3);
/** On pages, unless a rule of its owner has raised an alarm earlier (`devices/alarms/evaluate-alarms.ts`). */
const silentAfter = minutes(30);

/** Overdue: the device announced to be back by now. */
type State = 'now' | 'lately' | 'off' | 'silent' | 'overdue';
/** What a device needs: someone to look for it, or after it, or nothing; the last ones need no attention. */
export const groups = ['silent', 'warned', 'active', 'off', 'muted'] as const;
export type Group = (typeof groups)[number];

/** How many devices are in a group. */
export const groupWords = {
  active: 'dashboard.count_active',
  warned: 'dashboard.count_warned',
  silent: 'dashboard.count_silent',
  off: 'dashboard.count_off',
  muted: 'dashboard.count_muted',
} as const satisfies Record<Group, string>;

/** The groups in the order in which filters show them. */
export const groupsShown: readonly Group[] = ['active', 'warned', 'silent', 'off', 'muted'];

/** A device at a moment. */
export interface Seen {
  readonly computer: Computer;
  /** Milliseconds. */
  readonly silentFor: number;
  readonly state: State;
  readonly group: Group;
}

/** The state of a device, `since` milliseconds after it was read. */
export function seenAfter(computer: Computer, since: number): Seen {
  const silentFor = computer.silent_for + since;
  const state = stateOf(computer, since);
  return { computer, silentFor, state, group: groupOf(computer, state) };
}

const hasAlarm = ({ incidents }: Computer, kind: AlarmKind): boolean =>
  incidents.some((incident) => incident.kind === kind);

function stateOf(computer: Computer, since: number): State {
  const { silent_for, silence, off, kind } = computer;
  if (off) {
    const couldReturn = silence === silent_for || silence + since >= returnWithin;
    return off.returns_in !== null && off.returns_in <= since && couldReturn ? 'overdue' : 'off';
  }
  if (hasAlarm(computer, 'computer_silent')) return 'silent';
  if (silence + since >= silentAfter) return kind === 'smartphone' ? 'off' : 'silent';
  return silent_for + since < nowWithin ? 'now' : 'lately';
}

/** Its own warnings, and what its owner's rules have found; its silence is a state. */
const warningsOf = (computer: Computer): readonly Exclude<AlarmKind, 'computer_silent'>[] =>
  alarmKinds.flatMap((kind) => {
    const holds = computer.warnings.some((own) => own === kind) || hasAlarm(computer, kind);
    return holds && kind !== 'computer_silent' ? [kind] : [];
  });

function groupOf(computer: Computer, state: State): Group {
  if (computer.muted) return 'muted';
  if (state === 'off') return 'off';
  if (state === 'silent' || state === 'overdue') return 'silent';
  return computer.copied || warningsOf(computer).length > 0 ? 'warned' : 'active';
}

/** Sorts by what a device needs, the most urgent first. */
export const rankOf = ({ group }: Seen): number => groups.indexOf(group);

/** Whether someone should look at the device. */
export const needsAttention = ({ group }: Seen): boolean => group === 'silent' || group === 'warned';

const words = {
  now: 'dashboard.state_now',
  lately: 'dashboard.state_lately',
  silent: 'dashboard.state_silent',
  overdue: 'dashboard.state_overdue',
} as const;

/** A device that is off, by the reason that it gave. */
const offWords = {
  shutdown: 'dashboard.state_off',
  stop: 'dashboard.state_off',
  suspend: 'dashboard.state_asleep',
  restart: 'dashboard.state_restarting',
  update: 'dashboard.state_restarting',
  off_hours: 'dashboard.state_off',
} as const satisfies Record<OffReason, string>;

/** A smartphone cannot always say goodbye before the system stops its page. */
const wordsOf = (state: State, { off }: Computer) =>
  state === 'off' ? offWords[off?.reason ?? 'suspend'] : words[state];

/** What a device needs someone for. */
const warningWords = {
  disk_low: 'dashboard.kind_disk_low',
  battery_low: 'dashboard.kind_battery_low',
  computer_stopped: 'rules.stopped',
  record: 'dashboard.alarm_record',
  disk_high: 'dashboard.alarm_value',
  memory_low: 'dashboard.alarm_value',
  memory_high: 'dashboard.alarm_value',
  battery_high: 'dashboard.alarm_value',
} as const satisfies Record<ReturnType<typeof warningsOf>[number], string>;

interface DeviceStateProps {
  readonly seen: Seen;
  /** Each warning has a line of its own. */
  readonly stacked?: boolean;
}

/** Shows the state and the warnings as text, separated by dots. */
export function DeviceState({ seen: { computer, silentFor, state }, stacked = false }: DeviceStateProps) {
  const { ago } = useTimes();
  const t = useText();
  return (
    <span className={stacked ? css.stacked : css.words}>
      <span>
        <Text id={wordsOf(state, computer)} values={{ ago: ago(silentFor) }} dir="auto" />
      </span>
      {computer.muted && (
        <span>
          <Text id="dashboard.state_muted" />
        </span>
      )}
      {computer.copied && (
        <span className={css.warning}>
          <Text id="dashboard.state_copied" />
        </span>
      )}
      {warningsOf(computer).map((warning) => {
        const value = alarmValueOf(warning);
        return (
          <span key={warning} className={css.warning}>
            <Text id={warningWords[warning]} {...(value && { values: { value: t(valueNames[value]) } })} />
          </span>
        );
      })}
    </span>
  );
}

const lights = { now: css.now, lately: css.lately, off: css.off, silent: css.silent, overdue: css.silent };
const lightsOfGroups: Partial<Record<Group, string | undefined>> = { warned: css.warned, muted: css.mute };

/** The state as a decorative sign, whose shape differs as well as its color. */
export const Light = ({ seen: { state, group } }: { seen: Seen }) => (
  <span className={`${css.light} ${lightsOfGroups[group] ?? lights[state]}`} aria-hidden="true" />
);

const signsOfGroups: Record<Group, string | undefined> = {
  active: css.now,
  warned: css.warned,
  silent: css.silent,
  off: css.off,
  muted: css.mute,
};

/** The sign of a group, beside its number. */
export const Sign = ({ group }: { group: Group }) => (
  <span className={`${css.light} ${signsOfGroups[group]}`} aria-hidden="true" />
);

const known: Readonly<Record<string, string>> = {
  linux: 'Linux',
  macos: 'macOS',
  windows: 'Windows',
  android: 'Android',
  ios: 'iOS',
};

/** The vendor's spelling of a platform; unknown ones as the device reports them. */
export const platformName = (platform: string): string => known[platform.toLowerCase()] ?? platform;
