import type { FastifyRequest } from 'fastify';
import { Failure } from '../../contract/failures.ts';
import type { Authentication } from '../../contract/sign-in/authentication.ts';
import { readAccessToken } from '../../security/access-tokens.ts';
import { sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/service.ts';
import { sessionOwner } from '../../store/access/session-owner.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { type ComputersTable, findComputerByToken } from '../../store/computers/computers.ts';
import { addToRequestLog } from '../telemetry/request-log.ts';

export interface Principal extends Authentication {
  readonly accountId: string;
  readonly sessionId: string;
  /** The row when the request arrived. */
  readonly account: AccountsTable;
}

/** A computer that has proved its identity with its token. */
export type DevicePrincipal = ComputersTable;

const bearer = /^Bearer ([\w.-]+)$/i;
const tokenOf = (request: FastifyRequest): string => bearer.exec(request.headers.authorization ?? '')?.[1] ?? '';

/**
 * The owner of a request's access token; throws `not_signed_in`. It also looks the session up, so that an ended session
 * is refused immediately; other services accept the token for up to ten minutes.
 */
export async function authenticate(service: Service, request: FastifyRequest): Promise<Principal> {
  const token = tokenOf(request);
  const now = service.now();
  const claims = readAccessToken(token, { keys: service.keyring.accessTokens, issuer: service.config.PUBLIC_URL, now });
  if (!claims) throw new Failure('not_signed_in');
  addToRequestLog(request, { account: claims.sub, session: claims.sid });
  const owner = await sessionOwner(service.store, { id: claims.sid, now });
  if (owner?.account.id !== claims.sub) throw new Failure('not_signed_in');
  // From the session and not from the token, so that a step-up also counts in other tabs.
  return { accountId: owner.account.id, sessionId: claims.sid, account: owner.account, ...owner.authentication };
}

/** Seconds after which a computer may ask again whether the deletion of its account was canceled. */
const asksAgainAfter = 600;

/**
 * The computer with the request's device token; throws `not_signed_in`, including for a removed computer. While the
 * deletion of its account is planned, the failure has a `Retry-After`: the token works again if the owner cancels it.
 */
export async function authenticateDevice(service: Service, request: FastifyRequest): Promise<DevicePrincipal> {
  const token = tokenOf(request);
  const found = token === '' ? undefined : await findComputerByToken(service.store, sha256(token));
  if (!found) throw new Failure('not_signed_in');
  const { delete_at: deletion, ...computer } = found;
  if (deletion !== null) throw new Failure('not_signed_in', { retryAfter: asksAgainAfter });
  return computer;
}
