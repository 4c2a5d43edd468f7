import { days, iso, minutes } from '../contract/units.ts';
import { idleLifetimeOf, isLive, type SessionsTable, sessionLifetime } from '../store/access/sessions.ts';
import type { ActivityTable } from '../store/accounts/activity-log.ts';
import { deviceName } from '../store/browser-names.ts';
import { endWords } from './going-on-texts.ts';

interface History {
  readonly sessions: readonly SessionsTable[];
  readonly activity: readonly ActivityTable[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** When and why the sessions of an account ended, the newest end first, and who ended each, if that is recorded. */
export const describeEnds = ({ sessions, activity, now }: History) =>
  sessions
    .filter((session) => !isLive(session, now))
    .map((session) => describeEnd(session, activity))
    .toSorted((one, other) => other.ended_at.localeCompare(one.ended_at));

function describeEnd(session: SessionsTable, activity: readonly ActivityTable[]) {
  const { id, created_at, rotated_at, expires_at, ended_at, end_reason, ip, user_agent } = session;
  const idle = idleLifetimeOf(session);
  const idleUntil = rotated_at + idle;
  const at = ended_at ?? Math.min(idleUntil, expires_at);
  const reason = end_reason ?? 'expired';
  const unused =
    idleUntil < expires_at
      ? `it was not used for ${session.shared ? `${idle / minutes(1)} minutes, on a shared computer` : `${idle / days(1)} days`}`
      : `it reached its limit of ${sessionLifetime / days(1)} days`;
  // The activity that ended a session has exactly the same timestamp.
  const by = activity.filter((line) => line.at === ended_at);
  return {
    session: id,
    began_at: iso(created_at),
    last_seen_at: iso(rotated_at),
    ended_at: iso(at),
    device: deviceName(user_agent),
    ip,
    reason,
    why: end_reason === null ? unused : endWords[reason],
    /** Who ended it, if recorded. */
    by: by.map((line) => ({ at: iso(line.at), kind: line.kind, ip: line.ip, device: deviceName(line.user_agent) })),
  };
}
