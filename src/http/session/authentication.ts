import type { FastifyRequest } from 'fastify';
import type { Auth, Endpoint } from '../../contract/endpoint.ts';
import { Failure } from '../../contract/failures.ts';
import { operatorKeyPrefix } from '../../contract/operators.ts';
import { type Authentication, stepUpLifetime } from '../../contract/sign-in/admission.ts';
import { stepUpWaysOf } from '../../contract/sign-in/sign-in-methods.ts';
import { isPassword } from '../../security/imported-hashes.ts';
import { readAccessToken } from '../../security/tokens.ts';
import type { Service } from '../../server/service.ts';
import { sessionOwner } from '../../store/access/session-owner.ts';
import { signInMethodsOf } from '../../store/access/sign-in-lookup.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { isRecent } from '../../store/wrong-clock.ts';
import { addToRequestLog } from '../telemetry/request-log.ts';

export interface Principal extends Authentication {
  readonly accountId: string;
  readonly sessionId: string;
  /** The row when the request arrived. */
  readonly account: AccountsTable;
}

const bearer = /^Bearer ([\w.-]+)$/i;
const tokenOf = (request: FastifyRequest): string => bearer.exec(request.headers.authorization ?? '')?.[1] ?? '';

/** Whether a program sends its key, which no page can make a browser send: such a request needs no CSRF token. */
export const hasOperatorKey = ({ auth }: Endpoint, request: FastifyRequest): boolean =>
  auth === 'operator' && tokenOf(request).startsWith(operatorKeyPrefix);

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

/** The principal that a handler receives for each kind of `auth`. Another wing declares its own kinds. */
export interface Principals {
  bearer: { readonly signedIn: Principal };
}

/** Reads the principals of other kinds from a request's token. Throws the failure that the client receives. */
export type OtherPrincipals = {
  readonly [Kind in Exclude<keyof Principals, 'bearer'>]?: (token: string, asked: Asking) => Promise<Principals[Kind]>;
};

interface Asking {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
}

/** The principal of an endpoint; without `auth` there is no principal to read. */
export type PrincipalOf<E> = E extends { readonly auth: infer Kind extends Auth } ? PrincipalOfKind<Kind> : object;
type PrincipalOfKind<Kind extends Auth> = Kind extends keyof Principals ? Principals[Kind] : never;

/** Requires the principal that an endpoint names. Throws a `Failure` if the request does not prove it. */
export async function requirePrincipal<E extends Endpoint>(
  endpoint: E,
  { service, request, others }: { service: Service; request: FastifyRequest; others: OtherPrincipals },
): Promise<PrincipalOf<E>> {
  const { auth, path } = endpoint;
  if (auth === undefined) return undefined as unknown as PrincipalOf<E>;
  if (auth === 'bearer') return { signedIn: await authenticate(service, request) } as PrincipalOf<E>;
  const read = others[auth];
  if (!read) throw new Error(`${path} is mounted without a reader of its principal`);
  return (await read(tokenOf(request), { endpoint, request })) as PrincipalOf<E>;
}

/**
 * Refuses a sensitive request with `step_up_required` if the last proof of identity is too old or, for an account with
 * a second step, had one factor. The session of a remembered browser has one factor.
 */
export async function requireStepUp(
  { store, config, now }: Pick<Service, 'store' | 'config' | 'now'>,
  { sensitive }: Pick<Endpoint, 'sensitive'>,
  { account, authTime, acr }: Principal,
): Promise<void> {
  const isFresh = isRecent(authTime, { now: now(), within: stepUpLifetime });
  if (isFresh && acr === 'aal2') return;
  const methods = await signInMethodsOf({ store, config }, account, { password: isPassword(account.password_hash) });
  if (!methods.authenticator && (isFresh || (sensitive === 'or_password' && methods.password))) return;
  throw new Failure('step_up_required', { ways: stepUpWaysOf(methods) });
}
