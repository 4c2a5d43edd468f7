import type { EndReason } from '../contract/failures.ts';
import { pathIn } from '../contract/languages.ts';
import { noHash } from '../security/imported-hashes.ts';
import { sha256 } from '../security/macs.ts';
import type { Service } from '../server/service.ts';
import { forgetOtherDevices, forgetRememberedOf } from '../store/access/devices.ts';
import { endLockouts } from '../store/access/lockouts.ts';
import { removePasskeysSince } from '../store/access/passkeys.ts';
import { resetLinks } from '../store/access/reset-links.ts';
import { pendingSignIns, stopRemoval } from '../store/access/second-step.ts';
import {
  credentialSessionsOnNewDevices,
  endOtherSessions,
  endSession,
  sessionLifetime,
} from '../store/access/sessions.ts';
import { forgetMailCodesFor, mailCodes } from '../store/access/sign-in-codes.ts';
import { type AccountsTable, clearProfile, setPassword } from '../store/accounts/accounts.ts';
import { lastActivity } from '../store/accounts/activity-log.ts';
import { recordConsent } from '../store/accounts/consents.ts';
import { cancelDeletion } from '../store/accounts/delete-account.ts';
import { forgetEmailChangesSince, forgetPendingEmailChanges, undoWithin } from '../store/accounts/email-changes.ts';
import { forgetConnections } from '../store/applications/clients.ts';
import { endGrantsOfAccount } from '../store/applications/end-grants.ts';
import type { StoreTransaction } from '../store/database.ts';
import { doubtGivenBy } from '../store/operators/doubts.ts';
import { endGivenBy, lockOperator } from '../store/operators/operators.ts';
import type { Visitor } from '../store/visitor.ts';
import type { AccountPart, PartialShutOut, WithParts } from './account-part.ts';
import { notifyPasskeyRemoved } from './passkeys.ts';
import { endSecondStepSince, reportChange } from './second-step.ts';
import { type Ends, endsAfter, type ShutOutCause } from './shut-out-causes.ts';

interface ShutOut extends WithParts {
  readonly account: Pick<AccountsTable, 'id' | 'email_key' | 'locale'>;
  readonly cause: ShutOutCause;
  /** What the browsers of ended sessions show instead of the cause's own reason. */
  readonly reason?: EndReason | undefined;
  readonly at: number;
  /** The session that stays where `others` end, or the one that ends. */
  readonly session?: string | undefined;
  /** SHA-256 of the device token that stays where `others` end. */
  readonly device?: string | undefined;
  /** Milliseconds since the epoch: removes everything that was added then or later. */
  readonly since?: number;
  /** Sessions whose passkeys and second step go with those added `since`, even if they are older. */
  readonly distrusted?: readonly string[];
}

/** Numbers of ended sessions and removed computers, and the removed credentials. */
interface ShutOutResult extends RemovedCredentials {
  readonly sessions: number;
  readonly computers: number;
}

interface RemovedCredentials {
  readonly passkeys: readonly { readonly name: string }[];
  readonly secondStep: boolean;
}

/** Ends everything that must end after `cause`, in the caller's transaction, which has locked the account's row. */
export async function shutOut(
  trx: StoreTransaction,
  { account, cause, reason, at, parts, session, device, since = at, distrusted = [] }: ShutOut,
): Promise<ShutOutResult> {
  const ends = { ...endsAfter(cause), ...(reason && { reason }) };
  const { id: accountId } = account;
  const emailHash = sha256(account.email_key);
  // Before the devices are removed, because each has its own lockout.
  if (ends.lockouts) await endLockouts(trx, { emailHash, accountId, secondStep: false });
  if (ends.devices !== 'none')
    await forgetOtherDevices(trx, { accountId, except: ends.devices === 'others' ? device : undefined });
  const added = { accountId, since, sessions: distrusted };
  const credentials = await endCredentials(trx, { account, ends, added, at });
  if (ends.undoRights === 'since') await forgetEmailChangesSince(trx, { accountId, since });
  if (ends.password) await setPassword(trx, { accountId, hash: noHash, at });
  if (ends.entries) {
    await clearProfile(trx, accountId);
    await recordConsent(trx, { account_id: accountId, locale: account.locale, at, kind: 'offers', given: 0 });
  }
  const keysSince = { all: 0, recent: at - undoWithin, open: undefined };
  const isDoubted = ends.given === 'all' || ends.given === 'recent';
  // What the operator is giving at this moment is committed before, or refused afterward.
  if (isDoubted) await lockOperator(trx, accountId);
  if (ends.given !== 'none') await endGivenBy(trx, { accountId, keysSince: keysSince[ends.given], at });
  if (isDoubted) await doubtGivenBy(trx, { accountId, at });
  if (ends.deletion) await cancelDeletion(trx, accountId);
  // The end of one session ends its grants.
  if (ends.grants === 'all' || ends.grants === 'others')
    await endGrantsOfAccount(trx, { accountId, exceptSession: ends.grants === 'others' ? session : undefined, at });
  if (ends.consents) await forgetConnections(trx, accountId);
  return {
    ...credentials,
    sessions: await endSessions(trx, { accountId, ends, session, at }),
    computers: await shutOutParts(trx, parts, { accountId, ends, since, at }),
  };
}

/** What an account got at a time or later, or in one of the sessions. */
interface Added {
  readonly accountId: string;
  readonly since: number;
  readonly sessions: readonly string[];
}

/** Ends what proves or could soon prove who someone is, except for the password. */
async function endCredentials(
  trx: StoreTransaction,
  { account, ends, added, at }: { account: ShutOut['account']; ends: Ends; added: Added; at: number },
): Promise<RemovedCredentials> {
  const { id: accountId } = account;
  if (ends.emailedSecrets) {
    await resetLinks.void(trx, accountId, at);
    await mailCodes.void(trx, accountId, at);
    await forgetMailCodesFor(trx, account.email_key);
  }
  const removed = (extent: 'all' | 'since') => (extent === 'all' ? { ...added, since: 0 } : added);
  const passkeys = ends.passkeys === 'none' ? [] : await removePasskeysSince(trx, removed(ends.passkeys));
  if (ends.pendingSignIns) await pendingSignIns.void(trx, accountId);
  if (ends.removalRequest) await stopRemoval(trx, accountId);
  const secondStep = ends.secondStep !== 'none' && (await endSecondStepSince(trx, removed(ends.secondStep)));
  if (ends.addressRequests) await forgetPendingEmailChanges(trx, accountId);
  return { passkeys, secondStep };
}

async function endSessions(
  trx: StoreTransaction,
  { accountId, ends, session, at }: { accountId: string; ends: Ends; session: string | undefined; at: number },
): Promise<number> {
  const { reason, sessions, remembered } = ends;
  if (sessions === 'none') return 0;
  if (remembered) await forgetRememberedOf(trx, { accountId, sessions, session });
  if (sessions === 'one') return (await endSession(trx, { id: session ?? '', reason, at })) ? 1 : 0;
  return endOtherSessions(trx, { accountId, except: sessions === 'others' ? (session ?? '') : '', reason, at });
}

/** Returns how many things the other parts of the account removed. */
async function shutOutParts(
  trx: StoreTransaction,
  parts: readonly AccountPart[],
  shutOut: PartialShutOut,
): Promise<number> {
  let removed = 0;
  for (const part of parts) removed += await part.shutOut(trx, shutOut);
  return removed;
}

/**
 * The sessions whose passkeys and second step a reset removes: those that added one in the last 72 hours, on a device
 * that the account first saw in the 30 days before. What an earlier reset or undo left is trusted, since it
 * forgot the devices.
 */
export async function distrustedAtReset(
  trx: StoreTransaction,
  { accountId, at }: { accountId: string; at: number },
): Promise<readonly string[]> {
  const recently = { now: at, within: undoWithin };
  const trusted = await lastActivity(trx, { accountId, kinds: ['password_reset', 'email_change_undone'], ...recently });
  const addedSince = trusted ?? at - undoWithin;
  return credentialSessionsOnNewDevices(trx, { accountId, since: addedSince - sessionLifetime, addedSince });
}

interface Removed {
  readonly account: AccountsTable;
  readonly removed: Pick<ShutOutResult, 'passkeys' | 'secondStep'>;
  readonly visitor: Visitor;
  readonly at: number;
}

/** Records the credentials that a reset removed, and emails their owner. */
export async function reportRemoved(
  service: Pick<Service, 'geoip'>,
  trx: StoreTransaction,
  { account, removed, visitor, at }: Removed,
): Promise<void> {
  for (const passkey of removed.passkeys) await notifyPasskeyRemoved(service, trx, { account, passkey, visitor, at });
  if (removed.secondStep) await reportChange(trx, { account, change: 'removed', visitor, at });
}

interface LinkOfReset {
  readonly account: Pick<AccountsTable, 'email' | 'locale'>;
  readonly secret: string;
  /** The account has had no password. */
  readonly isFirst?: boolean;
}

/** The address of the page behind a reset link: its origin is the operator's setting, never a request's header. */
export function resetAddress(publicUrl: string, { account, secret, isFirst = false }: LinkOfReset): string {
  const address = new URL(pathIn(account.locale, '/reset-password/'), publicUrl);
  address.searchParams.set('email', account.email);
  address.searchParams.set('hash', secret);
  if (isFirst) address.searchParams.set('first', '1');
  return address.href;
}
