import { type Warning, warnings } from '../../../contract/computers/record-kinds.ts';
import { days, minutes } from '../../../contract/durations.ts';
import { defaultAlarmRules, neverSilent } from '../../../store/computers/alarm-rules.ts';
import type { AlarmState, EvaluatedAlarm } from '../../../store/computers/alarm-states.ts';

/** An alarm that the owner has not received yet. */
export interface AlarmEvent {
  /** The computer's id. */
  readonly computer: string;
  readonly kind: 'computer_silent' | Warning;
  /** The computer's name. */
  readonly device: string;
  /** The last signal of a silent computer, or when we noticed the warning (ms since the epoch). */
  readonly when: number;
}

export interface Evaluation {
  readonly events: readonly AlarmEvent[];
  readonly next: EvaluatedAlarm;
}

interface Time {
  readonly now: number;
  /** Silence counts from here at the earliest: our own outage ended then. */
  readonly countedFrom: number;
}

/** After our outage, agents return within their longest back-off, ten minutes (`bin/agent/report.mjs`). */
const returnWithin = minutes(15);
/** However far away the next alarm is: a computer is cheap to evaluate, and clocks change. */
const atLeastEvery = days(1);

/**
 * Decides which alarms a computer causes, and when to evaluate it next. A silence is identified by the last signal before
 * it, and a warning by being current, so each is an event once.
 */
export function evaluateAlarm(state: AlarmState, { now, countedFrom }: Time): Evaluation {
  const { id, name: device, last_seen_at: lastSeen, alarm_silent_at: reported } = state;
  const mutedUntil = state.muted_until ?? 0;
  if (mutedUntil > now) return { events: [], next: { ...stateOf(state), alarm_check_at: mutedUntil } };

  const current = warningsIn(state.warnings);
  const known = warningsIn(state.alarm_warnings);
  const wanted = current.filter((kind) => !known.includes(kind) && (state[kind] ?? defaultAlarmRules[kind]) === 1);
  const warned = wanted.map((kind) => ({ computer: id, kind, device, when: now }));

  const silentAfter = state.silent_after ?? defaultAlarmRules.silent_after;
  const isReported = reported === lastSeen;
  const silentFrom = Math.max(Math.max(lastSeen, countedFrom) + silentAfter, countedFrom + returnWithin);
  const isSilent = !isReported && silentAfter < neverSilent && now >= silentFrom;
  // A silence that was reported can only be followed by a signal and another silence.
  const nextSilence = isReported || isSilent ? now + silentAfter : silentFrom;
  return {
    events: isSilent ? [{ computer: id, kind: 'computer_silent', device, when: lastSeen }, ...warned] : warned,
    next: {
      id,
      alarm_check_at: Math.min(nextSilence, now + atLeastEvery),
      alarm_silent_at: isSilent ? lastSeen : reported,
      alarm_warnings: current.join(' '),
    },
  };
}

const stateOf = ({ id, alarm_check_at, alarm_silent_at, alarm_warnings }: AlarmState): EvaluatedAlarm => ({
  id,
  alarm_check_at,
  alarm_silent_at,
  alarm_warnings,
});

function warningsIn(kept: string): Warning[] {
  const kinds = kept.split(' ');
  return warnings.filter((warning) => kinds.includes(warning));
}
