import type { Store } from '../database.ts';
import { findSession, type SessionsTable } from './sessions.ts';

/** What a refresh token names. */
export interface NamedSession {
  readonly sessionId: string;
  readonly generation: number;
}

/** Whether a refresh token is older than the parent of the newest one. Browsers keep only the newest, so it is a copy. */
export function isCopy(
  session: Pick<SessionsTable, 'generation'>,
  { generation }: Pick<NamedSession, 'generation'>,
): boolean {
  return generation < session.generation - 1;
}

/** The session that a refresh token names, live or ended; undefined for an old copy of the token. */
export async function findNamed(store: Store, named: NamedSession | undefined): Promise<SessionsTable | undefined> {
  const session = named && (await findSession(store, named.sessionId));
  return session && !isCopy(session, named) ? session : undefined;
}
