import type { Authentication, AuthenticationMethod } from '../../contract/sign-in/authentication.ts';
import type { Store } from '../database.ts';
import type { SessionsTable } from './sessions.ts';

/** How and when the session's owner last proved who they are. */
export const authenticationOf = ({
  created_at,
  proven_at,
  amr,
  acr,
}: Pick<SessionsTable, 'created_at' | 'proven_at' | 'amr' | 'acr'>): Authentication => ({
  authTime: Math.max(created_at, proven_at ?? 0),
  amr: amr === null || amr === '' ? [] : (amr.split(' ') as AuthenticationMethod[]),
  acr: acr ?? 'aal1',
});

/** Stores a step-up: when and how its owner proved again who they are. */
export const renewAuthentication = (store: Store, id: string, { authTime, amr, acr }: Authentication) =>
  store
    .updateTable('sessions')
    .set({ proven_at: authTime, amr: amr.join(' '), acr })
    .where('id', '=', id)
    .execute();
