import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../contract/endpoint.ts';
import { Failure } from '../../contract/failures.ts';
import { isRoleEnough, type OperatorRole, operatorKeyPrefix } from '../../contract/operators.ts';
import { stepUpLifetime } from '../../contract/sign-in/admission.ts';
import { stepUpWaysOf } from '../../contract/sign-in/sign-in-methods.ts';
import { minutes } from '../../contract/units.ts';
import { isPassword } from '../../security/imported-hashes.ts';
import { sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { ownerOf } from '../../store/access/session-owner.ts';
import { signInMethodsOf } from '../../store/access/sign-in-lookup.ts';
import type { StoreTransaction } from '../../store/database.ts';
import {
  heldRoleOf,
  holdKey,
  invitationExists,
  keyWithHash,
  markKeyUsed,
  markOperatorSeen,
  operatorSeenAt,
  roleOf,
} from '../../store/operators/operators.ts';
import { isRecent } from '../../store/wrong-clock.ts';
import { openProxyCheck } from '../incoming/visitor.ts';
import { addToRequestLog } from '../telemetry/request-log.ts';
import { authenticate, type Principal } from './authentication.ts';
import { sessionOfCookie } from './browser.ts';

/** Who uses the management API: an operator with a session, or a program with a key. */
export interface OperatorPrincipal {
  readonly kind: 'operator' | 'key';
  /** The id of the account or key. */
  readonly id: string;
  readonly role: OperatorRole;
  /** The account behind a session. */
  readonly accountId?: string;
  /** Throws if the role or the key has been lost since; they stay until the transaction ends. */
  confirm(trx: StoreTransaction): Promise<void>;
}

declare module './authentication.ts' {
  interface Principals {
    operator: { readonly operator: OperatorPrincipal };
  }
}

/** Operators who have not sent a request for so long prove again who they are. */
const idleLimit = minutes(30);
/** How exact the times of the last use are. */
const seenEvery = minutes(1);

/** Reads operators from requests of these addresses; to all others, their endpoints do not exist. */
export function openOperators(service: Service) {
  const { store, config, now } = service;
  const ranges = config.CONSOLE_ADDRESSES;
  const isWithin = openProxyCheck(ranges);

  async function programOf(token: string, { endpoint, request }: Asked): Promise<OperatorPrincipal> {
    const at = now();
    const key = await keyWithHash(store, { hash: sha256(token), now: at });
    // As unknown from elsewhere, so that a thief does not learn that it works.
    if (!key || (key.addresses !== '' && !openProxyCheck(key.addresses.split(','))(request.visitor.ip)))
      throw new Failure('not_signed_in');
    const { id, role } = key;
    addToRequestLog(request, { client: id });
    requireRole(role, endpoint);
    if (!isRecent(key.last_used_at ?? 0, { now: at, within: seenEvery })) await markKeyUsed(store, { id, at });
    const confirm = async (trx: StoreTransaction) => {
      if (!(await holdKey(trx, { id, now: now() }))) throw new Failure('not_signed_in');
    };
    return { kind: 'key', id, role, confirm };
  }

  async function personOf({ endpoint, request }: Asked): Promise<OperatorPrincipal> {
    const signedIn = await authenticate(service, request);
    const { accountId, sessionId } = signedIn;
    const role = await roleOf(store, accountId);
    if (role === undefined) throw new Failure('role_insufficient');
    requireRole(role, endpoint);
    await requireRecentProof(signedIn, endpoint);
    const confirm = async (trx: StoreTransaction) => {
      // First, because it waits for whoever shuts this operator out, which ends the session.
      const held = await heldRoleOf(trx, accountId);
      if ((await ownerOf(trx, { id: sessionId, now: now() }))?.id !== accountId) throw new Failure('not_signed_in');
      if (held === undefined) throw new Failure('role_insufficient');
      requireRole(held, endpoint);
    };
    return { kind: 'operator', id: accountId, accountId, role, confirm };
  }

  /** Two factors always; not older than 15 minutes for a change, and otherwise than 30 minutes without a request. */
  async function requireRecentProof({ account, sessionId, authTime, acr }: Principal, { method }: Endpoint) {
    const at = now();
    const seenAt = await operatorSeenAt(store, sessionId);
    const isWithin = (time: number, within: number) => isRecent(time, { now: at, within });
    const isUsed = isWithin(authTime, idleLimit) || isWithin(seenAt, idleLimit);
    const isProven = isUsed && (method === 'GET' || isWithin(authTime, stepUpLifetime));
    await requireTwoFactors({ account, acr: isProven ? acr : 'aal1' });
    if (!isWithin(seenAt, seenEvery)) await markOperatorSeen(store, { sessionId, at });
  }

  /** Two factors, for the step that makes someone an operator. */
  async function requireTwoFactors({ account, acr }: Pick<Principal, 'account' | 'acr'>): Promise<void> {
    if (acr === 'aal2') return;
    const methods = await signInMethodsOf({ store, config }, account, { password: isPassword(account.password_hash) });
    throw new Failure('step_up_required', { ways: stepUpWaysOf({ ...methods, password: false }) });
  }

  const isAddressAllowed = ({ visitor }: FastifyRequest): boolean => ranges.length === 0 || isWithin(visitor.ip);

  function requireAddress(request: FastifyRequest): void {
    if (!isAddressAllowed(request)) throw new Failure('not_found');
  }

  /** Whether a browser gets the pages of the console: that of an operator, or one with an invitation of the last day. */
  async function mayOpenConsole(request: FastifyRequest, invitation: string | undefined): Promise<boolean> {
    if (config.CONSOLE === 'off' || !isAddressAllowed(request)) return false;
    if (invitation && (await invitationExists(store, sha256(invitation)))) return true;
    const id = sessionOfCookie(service, request);
    const owner = id === undefined ? undefined : await ownerOf(store, { id, now: now() });
    return owner !== undefined && (await roleOf(store, owner.id)) !== undefined;
  }

  const read = async (token: string, asked: Asked): Promise<{ readonly operator: OperatorPrincipal }> => {
    requireAddress(asked.request);
    const isProgram = token.startsWith(operatorKeyPrefix);
    return { operator: isProgram ? await programOf(token, asked) : await personOf(asked) };
  };
  return { read, requireAddress, requireTwoFactors, mayOpenConsole };
}

interface Asked {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
}

function requireRole(has: OperatorRole, { role, path }: Endpoint): void {
  if (role === undefined) throw new Error(`${path} names no role`);
  if (!isRoleEnough(has, role)) throw new Failure('role_insufficient');
}
