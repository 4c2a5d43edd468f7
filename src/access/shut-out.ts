import type { EndReason } from '../contract/failures.ts';
import { noHash } from '../security/foreign/hashes.ts';
import { sha256 } from '../security/secrets.ts';
import { forgetOtherDevices } from '../store/access/devices.ts';
import { unlock } from '../store/access/lockouts.ts';
import { closeResetLinks } from '../store/access/reset-links.ts';
import { endOtherSessions, endSession } from '../store/access/sessions.ts';
import { forgetMailCodes, forgetMailCodesFor } from '../store/access/sign-in-codes.ts';
import { type AccountsTable, clearProfile, setPassword } from '../store/accounts/accounts.ts';
import { recordConsent } from '../store/accounts/consents.ts';
import { cancelDeletion } from '../store/accounts/delete-account.ts';
import { forgetEmailChangesSince, forgetPendingEmailChanges } from '../store/accounts/email-changes.ts';
import { removeComputersOf, removeComputersSince } from '../store/computers/computers.ts';
import { forgetEnrolments } from '../store/computers/enrolments.ts';
import type { StoreTransaction } from '../store/database.ts';

/** Everything that ends after an event that concerns an account's credentials. */
interface Ends {
  /** The reason that the browser of an ended session shows. */
  readonly reason: EndReason;
  readonly sessions: 'all' | 'others' | 'one' | 'none';
  readonly devices: 'all' | 'others' | 'none';
  /** Computers and smartphones that report to the account. */
  readonly computers: 'all' | 'since' | 'none';
  /** Reset links and emailed sign-in codes. */
  readonly emailedSecrets: boolean;
  /** Codes that add a computer. */
  readonly enrolments: boolean;
  /** Requested changes of address that are not confirmed yet. */
  readonly addressRequests: boolean;
  /** Rights to undo a change of address: only for changes made since. All others stay valid for their 72 hours. */
  readonly undoRights: 'since' | 'none';
  /** The password, until the owner sets another one. */
  readonly password: boolean;
  /** Lockouts, so that guesses by others do not keep the owner out. */
  readonly lockouts: boolean;
  /** Name, phone, consent to offers and all other entries. */
  readonly entries: boolean;
  /** A planned deletion. */
  readonly deletion: boolean;
}

const nothing: Ends = {
  reason: 'ended_elsewhere',
  sessions: 'none',
  devices: 'none',
  computers: 'none',
  emailedSecrets: false,
  enrolments: false,
  addressRequests: false,
  undoRights: 'none',
  password: false,
  lockouts: false,
  entries: false,
  deletion: false,
};

/** Everything that someone with the old credentials has begun and not finished. */
const unfinished = { emailedSecrets: true, enrolments: true, addressRequests: true } as const;

/** The only list of what ends after which event. A new credential is a field of `Ends` and a cell in each row. */
export const shutOutCauses = {
  /** A signed-in user changed the password; this session and browser stay. */
  password_changed: {
    ...nothing,
    ...unfinished,
    reason: 'password_changed',
    sessions: 'others',
    devices: 'others',
  },
  /** The owner set a password with an emailed link. */
  password_reset: {
    ...nothing,
    ...unfinished,
    reason: 'password_changed',
    sessions: 'all',
    devices: 'all',
    lockouts: true,
  },
  /** The address was never proven, and someone who reads its email signs in from an unknown browser. */
  first_proof: {
    ...nothing,
    ...unfinished,
    reason: 'password_changed',
    sessions: 'all',
    devices: 'all',
    computers: 'all',
    password: true,
    lockouts: true,
    entries: true,
  },
  /** Emailed secrets went to an address that the account has left. */
  address_changed: { ...nothing, emailedSecrets: true },
  /** The owner undid a change of address, which shuts out the person who made it, with everything that they added. */
  address_returned: {
    ...nothing,
    ...unfinished,
    sessions: 'all',
    devices: 'all',
    computers: 'since',
    undoRights: 'since',
    password: true,
    lockouts: true,
    deletion: true,
  },
  /** An operator locked the account. */
  locked: { ...nothing, ...unfinished, sessions: 'all' },
  deletion_planned: { ...nothing, ...unfinished, sessions: 'all' },
  /** Someone used a copy of a refresh token: the session ends for both, with codes that the copier may have created. */
  session_copied: { ...nothing, reason: 'reused', sessions: 'one', enrolments: true },
  /** The owner or an operator ended sessions, without a reason to distrust the password. */
  sessions_ended: { ...nothing, sessions: 'others' },
} as const satisfies Record<string, Ends>;

export type ShutOutCause = keyof typeof shutOutCauses;

export interface ShutOut {
  readonly account: Pick<AccountsTable, 'id' | 'email_key' | 'locale'>;
  readonly cause: ShutOutCause;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The session that stays where `others` end, or the one that ends. */
  readonly session?: string | undefined;
  /** SHA-256 of the device token that stays where `others` end. */
  readonly device?: string | undefined;
  /** Removes everything that was added since then. */
  readonly since?: number;
}

/** Numbers of ended sessions and removed computers. */
export interface ShutOutResult {
  readonly sessions: number;
  readonly computers: number;
}

/** Ends everything that must end after `cause`, in the caller's transaction, which holds the account. */
export async function shutOut(
  trx: StoreTransaction,
  { account, cause, at, session, device, since = at }: ShutOut,
): Promise<ShutOutResult> {
  const ends: Ends = shutOutCauses[cause];
  const { id: accountId } = account;
  const emailHash = sha256(account.email_key);
  // Before the devices are removed, because each has its own lockout.
  if (ends.lockouts) await unlock(trx, { emailHash, accountId });
  if (ends.devices !== 'none')
    await forgetOtherDevices(trx, { accountId, except: ends.devices === 'others' ? device : undefined });
  if (ends.emailedSecrets) {
    await closeResetLinks(trx, { accountId, now: at });
    await forgetMailCodes(trx, { accountId, now: at });
    await forgetMailCodesFor(trx, account.email_key);
  }
  if (ends.enrolments) await forgetEnrolments(trx, accountId);
  if (ends.addressRequests) await forgetPendingEmailChanges(trx, accountId);
  if (ends.undoRights === 'since') await forgetEmailChangesSince(trx, { accountId, since });
  if (ends.password) await setPassword(trx, { accountId, hash: noHash, at });
  if (ends.entries) {
    await clearProfile(trx, accountId);
    await recordConsent(trx, { account_id: accountId, locale: account.locale, at, kind: 'offers', given: 0 });
  }
  if (ends.deletion) await cancelDeletion(trx, accountId);
  return {
    sessions: await endSessions(trx, { accountId, ends, session, at }),
    computers: await removeComputers(trx, { accountId, extent: ends.computers, since, at }),
  };
}

async function endSessions(
  trx: StoreTransaction,
  { accountId, ends, session, at }: { accountId: string; ends: Ends; session: string | undefined; at: number },
): Promise<number> {
  const { reason, sessions } = ends;
  if (sessions === 'none') return 0;
  if (sessions === 'one') return (await endSession(trx, { id: session ?? '', reason, at })) ? 1 : 0;
  return endOtherSessions(trx, { accountId, except: sessions === 'others' ? (session ?? '') : '', reason, at });
}

async function removeComputers(
  trx: StoreTransaction,
  { extent, ...added }: { accountId: string; extent: Ends['computers']; since: number; at: number },
): Promise<number> {
  if (extent === 'none') return 0;
  return extent === 'all' ? removeComputersOf(trx, added.accountId) : removeComputersSince(trx, added);
}
