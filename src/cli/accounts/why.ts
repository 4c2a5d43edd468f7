import { days, minutes } from '../../contract/durations.ts';
import type { EndReason } from '../../contract/failures.ts';
import { iso } from '../../contract/iso-time.ts';
import { deviceName } from '../../outbox/device-name.ts';
import { idleLifetimeOf, isLive, type SessionsTable, sessionLifetime } from '../../store/access/sessions.ts';
import { readAccountData } from '../../store/accounts/account-data.ts';
import type { ActivityTable } from '../../store/accounts/activity-log.ts';
import type { StoreCommand } from '../command.ts';
import { withAccount } from './account.ts';

export const accountsWhy: StoreCommand = {
  name: ['accounts', 'why'],
  usage: 'accounts why WHO',
  summary:
    'show why and when each session of an account ended, and who changed its address; WHO may also be a former address',
  run: ({ store, now, positionals }) =>
    withAccount({ store, command: 'accounts why', positionals, alsoFormer: true }, async ({ id, email }) => {
      const { sessions, activity } = await readAccountData(store, id);
      const ended = sessions
        .filter((session) => !isLive(session, now))
        .map((session) => describe(session, activity))
        .toSorted((one, other) => other.ended_at.localeCompare(one.ended_at));
      const live = sessions.length - ended.length;
      const changes = activity
        .filter(({ kind }) => kind.startsWith('email_change'))
        .map(({ at, kind, ip, user_agent }) => ({ at: iso(at), kind, ip, device: deviceName(user_agent) }));
      const lines = ended.flatMap(({ ended_at, device, ip, why, by }) => [
        `${ended_at}  ${device} (${ip}): ${why}`,
        ...by.map((line) => `    ${line.at}  ${line.kind}, ${line.device} (${line.ip || 'an operator'})`),
      ]);
      return {
        text: [
          `${email}: ${live} live sessions, ${ended.length} ended`,
          ...changes.map(({ at, kind, ip, device }) => `${at}  ${kind}, ${device} (${ip || 'an operator'})`),
          ...lines,
        ].join('\n'),
        data: { id, live, ended, address_changes: changes },
      };
    }),
};

const whys: Readonly<Record<EndReason, string>> = {
  no_session: 'unknown',
  expired: 'it expired',
  signed_out: 'the owner signed out on that device, or signed in again there',
  ended_elsewhere: 'ended from another session of the owner, or by an operator',
  email_undone: 'a change of the email address was undone',
  password_changed: 'the password was changed or reset',
  reused: 'a client used an old token, so someone had a copy of the session: it ended for both',
};

function describe(session: SessionsTable, activity: readonly ActivityTable[]) {
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
    why: end_reason === null ? unused : whys[reason],
    /** Who ended it, if recorded. */
    by: by.map((line) => ({ at: iso(line.at), kind: line.kind, ip: line.ip, device: deviceName(line.user_agent) })),
  };
}
