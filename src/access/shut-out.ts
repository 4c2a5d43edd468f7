import { noHash } from '../security/foreign/hashes.ts';
import { sha256 } from '../security/secrets.ts';
import { forgetOtherDevices, forgetRememberedOf } from '../store/access/devices.ts';
import { endLockouts } from '../store/access/lockouts.ts';
import { removePasskeysSince } from '../store/access/passkeys/passkeys.ts';
import { resetLinks } from '../store/access/reset-links.ts';
import { pendingSignIns } from '../store/access/second-step/pending-sign-ins.ts';
import { stopRemoval } from '../store/access/second-step/removals.ts';
import { endOtherSessions, endSession } from '../store/access/sessions.ts';
import { forgetMailCodesFor, mailCodes } from '../store/access/sign-in-codes.ts';
import { clearProfile } from '../store/accounts/account-fields.ts';
import { type AccountsTable, setPassword } from '../store/accounts/accounts.ts';
import { recordConsent } from '../store/accounts/consents.ts';
import { cancelDeletion } from '../store/accounts/delete-account.ts';
import { forgetEmailChangesSince, forgetPendingEmailChanges } from '../store/accounts/email-changes.ts';
import { forgetConnections } from '../store/applications/connected-clients.ts';
import { endGrantsOfAccount } from '../store/applications/end-grants.ts';
import { forgetAlarmRules } from '../store/computers/alarm-rules.ts';
import { enrolments } from '../store/computers/enrolments.ts';
import { removeComputersOf, removeComputersSince } from '../store/computers/remove-computers.ts';
import type { StoreTransaction } from '../store/database.ts';
import { recordRemovedComputers } from '../store/webhooks/record-event.ts';
import { endSecondStepSince } from './second-step/end-second-step.ts';
import { type ShutOutCause, shutOutCauses } from './shut-out-causes.ts';
import type { Ends } from './shut-out-ends.ts';

export interface ShutOut {
  readonly account: Pick<AccountsTable, 'id' | 'email_key' | 'locale'>;
  readonly cause: ShutOutCause;
  /** Milliseconds since the epoch. */
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
export interface ShutOutResult extends RemovedCredentials {
  readonly sessions: number;
  readonly computers: number;
}

interface RemovedCredentials {
  readonly passkeys: readonly { readonly name: string }[];
  readonly secondStep: boolean;
}

/** Ends everything that must end after `cause`, in the caller's transaction, which holds the account. */
export async function shutOut(
  trx: StoreTransaction,
  { account, cause, at, session, device, since = at, distrusted = [] }: ShutOut,
): Promise<ShutOutResult> {
  const ends: Ends = shutOutCauses[cause];
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
    await forgetAlarmRules(trx, accountId);
    await recordConsent(trx, { account_id: accountId, locale: account.locale, at, kind: 'offers', given: 0 });
  }
  if (ends.deletion) await cancelDeletion(trx, accountId);
  // The end of one session ends its grants.
  if (ends.grants === 'all' || ends.grants === 'others')
    await endGrantsOfAccount(trx, { accountId, exceptSession: ends.grants === 'others' ? session : undefined, at });
  if (ends.consents) await forgetConnections(trx, accountId);
  return {
    ...credentials,
    sessions: await endSessions(trx, { accountId, ends, session, at }),
    computers: await removeComputers(trx, { accountId, extent: ends.computers, since, at }),
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
  if (ends.enrolments) await enrolments.void(trx, accountId, at);
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

async function removeComputers(
  trx: StoreTransaction,
  { extent, ...added }: { accountId: string; extent: Ends['computers']; since: number; at: number },
): Promise<number> {
  if (extent === 'none') return 0;
  const { accountId, at } = added;
  const ids = extent === 'all' ? await removeComputersOf(trx, accountId) : await removeComputersSince(trx, added);
  await recordRemovedComputers(trx, { accountId, ids, at });
  return ids.length;
}
