import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { listDevices, listSessions } from './sessions.contract.ts';

type Session = ResponseBody<typeof listSessions>['sessions'][number];
type Known = ResponseBody<typeof listDevices>['devices'][number];

/** A device that is signed in, known, or both. */
export interface Device extends Pick<Session, 'current' | 'device' | 'place'> {
  readonly key: string;
  readonly ip: string | null;
  /** ISO 8601, UTC. */
  readonly firstUsed: string;
  readonly lastUsed: string;
  /** Id of its session; undefined if it is signed out. */
  readonly session: string | undefined;
  /** Id of the known device; undefined if its next sign-in counts as new. */
  readonly known: string | undefined;
}

/** One list of sessions and known devices: this device, then signed-in ones, then the others, each last used first. */
export function mergeDevices(sessions: readonly Session[], devices: readonly Known[]): readonly Device[] {
  const signedIn = sessions.map((session): Device => {
    const known = devices.find(({ id, current }) => id === session.device_id || (current && session.current));
    const firstUsed = known && known.created_at < session.created_at ? known.created_at : session.created_at;
    const { id: key, last_seen_at: lastUsed } = session;
    return { ...session, key, firstUsed, lastUsed, session: key, known: known?.id };
  });
  const others = devices
    .filter(({ id }) => !signedIn.some(({ known }) => known === id))
    .map((one): Device => {
      const { id: key, created_at: firstUsed, last_seen_at: lastUsed } = one;
      return { ...one, key, firstUsed, lastUsed, session: undefined, known: key };
    });
  return [...signedIn, ...others].sort(
    (one, other) => rankOf(one) - rankOf(other) || other.lastUsed.localeCompare(one.lastUsed),
  );
}

function rankOf({ current, session }: Device): number {
  if (current) return 0;
  return session === undefined ? 2 : 1;
}
