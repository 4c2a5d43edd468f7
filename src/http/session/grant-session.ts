import type { FastifyReply } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import type { AdmissionResult, Authentication } from '../../contract/sign-in/admission.ts';
import { minutes } from '../../contract/units.ts';
import { type RefreshToken, type SigningKey, signAccessToken, writeRefreshToken } from '../../security/tokens.ts';
import type { Service } from '../../server/service.ts';
import {
  endSession,
  findNamed,
  findSession,
  type NamedSession,
  type SessionsTable,
} from '../../store/access/sessions.ts';
import { lockAccountRow } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';
import { addToRequestLog } from '../telemetry/request-log.ts';
import { renewCsrf } from './csrf.ts';

export const accessTokenLifetime = minutes(10);

type Granted = RefreshToken & Authentication & { readonly accountId: string; readonly shared?: boolean | undefined };

type TokenOwner = Authentication & Pick<Granted, 'accountId' | 'sessionId'>;

/** A new access token of a session (RFC 6749, section 5.1). */
export function grantAccess(service: Service, { accountId, sessionId, authTime, amr, acr }: TokenOwner) {
  const access_token = signAccessToken(service.keyring.accessTokens[0] as SigningKey, {
    issuer: service.config.PUBLIC_URL,
    ...{ accountId, sessionId, authTime, amr, acr },
    now: service.now(),
    lifetime: accessTokenLifetime,
  });
  return { access_token, token_type: 'Bearer' as const, expires_in: accessTokenLifetime / 1000 };
}

/** Sets the session cookies and returns the response of a sign-in or a refresh (RFC 6749, section 5.1). */
export function grantSession(service: Service, reply: FastifyReply, session: Granted) {
  addToRequestLog(reply.request, { account: session.accountId, session: session.sessionId });
  const refreshToken = writeRefreshToken(service.keyring.refreshTokens[0] as Buffer, session);
  service.cookies.setSession(reply, { refreshToken, shared: session.shared === true });
  return grantAccess(service, session);
}

/**
 * Sets the cookies and returns the tokens of an admission (`access/admit.ts`), which begins a session. Refuses with
 * `second_step_required` if it waits for its second step. A registration is not counted as a sign-in.
 */
export function grantAdmission(
  service: Service,
  reply: FastifyReply,
  { registers = false, ...result }: AdmissionResult & { readonly registers?: boolean },
) {
  if ('pending' in result) {
    addToRequestLog(reply.request, { account: result.accountId });
    service.cookies.set(reply, 'pending_sign_in', result.pending);
    throw new Failure('second_step_required', { ways: result.ways });
  }
  const { deviceToken, deletionCanceled, ...admitted } = result;
  if (!registers) {
    service.metrics?.signIn({ amr: admitted.amr });
    service.counters.count('sign_ins', admitted.amr.join(' '));
  }
  if (deviceToken !== undefined) service.cookies.set(reply, 'device', deviceToken);
  renewCsrf(service, reply, admitted.sessionId);
  const granted = grantSession(service, reply, { generation: 0, ...admitted });
  return deletionCanceled ? { ...granted, deletion_canceled: true } : granted;
}

interface SignOut {
  /** What the browser's refresh cookie names. */
  readonly named: NamedSession | undefined;
  readonly visitor: Visitor;
}

/** Ends a browser's session and returns it; undefined without one. An old copy of its cookie ends nothing. */
export const signOut = (service: Pick<Service, 'store' | 'now'>, { named, visitor }: SignOut) =>
  endFound(service, visitor, (trx) => findNamed(trx, named));

/** The same for a session that its application's own cookie or a verified token names. */
export const signOutSession = (
  service: Pick<Service, 'store' | 'now'>,
  { sessionId, visitor }: { readonly sessionId: string; readonly visitor: Visitor },
) => endFound(service, visitor, (trx) => findSession(trx, sessionId));

async function endFound(
  { store, now }: Pick<Service, 'store' | 'now'>,
  visitor: Visitor,
  find: (trx: StoreTransaction) => Promise<SessionsTable | undefined>,
): Promise<SessionsTable | undefined> {
  const at = now();
  return store.transaction().execute(async (trx) => {
    const session = await find(trx);
    if (!session) return undefined;
    await lockAccountRow(trx, session.account_id);
    if (await endSession(trx, { id: session.id, reason: 'signed_out', at }))
      await recordActivity(trx, { accountId: session.account_id, at, kind: 'signed_out', visitor });
    return session;
  });
}
