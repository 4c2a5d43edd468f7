import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { minutes } from '../../../contract/units.ts';
import type { listComputers } from '../../contract/computers.ts';
import { kindWords } from '../records/record-rows.part.tsx';
import css from './device-state.module.css';

export type Computer = ResponseBody<typeof listComputers>['computers'][number];

/** Agents send a heartbeat every minute; one may be late. */
const nowWithin = minutes(3);
const silentAfter = minutes(30);
/** An agent that stops reports it with its last request. */
const maxStopLag = minutes(1);

type State = 'now' | 'lately' | 'stopped' | 'silent';
/** What a device needs: someone to look for it, some space or a charger, or nothing. */
export const groups = ['silent', 'low', 'active'] as const;
export type Group = (typeof groups)[number];

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
  const state = stateOf(computer, silentFor);
  return { computer, silentFor, state, group: groupOf(computer, state) };
}

function stateOf({ newest, last_seen_at }: Computer, silentFor: number): State {
  if (silentFor >= silentAfter) return 'silent';
  const stopped = newest?.kind === 'stop' && Date.parse(last_seen_at) - Date.parse(newest.at) < maxStopLag;
  if (stopped) return 'stopped';
  return silentFor < nowWithin ? 'now' : 'lately';
}

function groupOf({ warnings }: Computer, state: State): Group {
  if (state === 'silent' || state === 'stopped') return 'silent';
  return warnings.length > 0 ? 'low' : 'active';
}

/** Sorts by what a device needs, the most urgent first. */
export const rankOf = ({ group }: Seen): number => groups.indexOf(group);

/** Whether someone should look at the device. */
export const needsAttention = ({ state, computer }: Seen): boolean =>
  state === 'silent' || computer.warnings.length > 0;

const words = {
  now: 'dashboard.state_now',
  lately: 'dashboard.state_lately',
  stopped: 'dashboard.kind_stop',
  silent: 'dashboard.state_silent',
} as const;

interface DeviceStateProps {
  readonly seen: Seen;
  /** Each warning has a line of its own. */
  readonly stacked?: boolean;
}

/** Shows the state and the warnings as text, separated by dots. */
export function DeviceState({ seen: { computer, silentFor, state }, stacked = false }: DeviceStateProps) {
  const { ago } = useTimes();
  return (
    <span className={stacked ? css.stacked : css.words}>
      <span>
        <Text id={words[state]} values={{ ago: ago(silentFor) }} dir="auto" />
      </span>
      {computer.warnings.map((warning) => (
        <span key={warning} className={css.warning}>
          <Text id={kindWords[warning]} />
        </span>
      ))}
    </span>
  );
}

const lights = { now: css.now, lately: css.lately, stopped: css.stopped, silent: css.silent };

/** The state as a decorative sign, whose shape differs as well as its color. */
export const Light = ({ seen: { state, group } }: { seen: Seen }) => (
  <span className={`${css.light} ${group === 'low' ? css.low : lights[state]}`} aria-hidden="true" />
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
