import { Failure } from '../contract/failures.ts';
import { isKnownTimeZone } from '../contract/fields/time.ts';
import type {
  AdmissionResult,
  Admitted,
  AssuranceLevel,
  Authentication,
  AuthenticationMethod,
} from '../contract/sign-in/admission.ts';
import { enqueueBatched, enqueueCapped, enqueueEmail } from '../outbox/enqueue-email.ts';
import { neverHadPassword, noHash } from '../security/imported-hashes.ts';
import { randomSecret, sha256 } from '../security/macs.ts';
import type { Service } from '../server/service.ts';
import { forgetDevice, rememberDevice, skipSecondStep } from '../store/access/devices.ts';
import { pendingSignIns } from '../store/access/second-step.ts';
import {
  addSession,
  endSession,
  findNamed,
  findSession,
  isLive,
  type NamedSession,
  sessionLifetime,
} from '../store/access/sessions.ts';
import { needsSecondStep } from '../store/access/sign-in-lookup.ts';
import { type AccountsTable, proveEmail, setDbType, setPassword, setTimeZone } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import { cancelDeletion } from '../store/accounts/delete-account.ts';
import { moveGrants } from '../store/applications/client-grants.ts';
import { deviceName } from '../store/browser-names.ts';
import type { StoreTransaction } from '../store/database.ts';
import { isCreatedByOperator } from '../store/operators/audit-log.ts';
import type { Visitor } from '../store/visitor.ts';
import { type Method, type MethodName, methods } from './methods.ts';
import { type Keep, once, type Step } from './once.ts';
import { beginSecondStep } from './second-step.ts';
import { distrustedAtReset, reportRemoved, shutOut } from './shut-out.ts';

/** The browser that a person signs in with. */
export interface Browser {
  readonly visitor: Visitor;
  /** The device cookie, if the browser has one. */
  readonly deviceToken: string | undefined;
  /** The browser's session that the new one replaces (OWASP ASVS 5.0, 7.2.4). */
  readonly formerSession: NamedSession | undefined;
  /** The computer is shared with others, so it does not become a known device. */
  readonly shared?: boolean | undefined;
}

/** Proof of a person's identity. */
export interface Proof {
  readonly method: MethodName;
  /** More exact than that of the method, such as for a passkey in hardware or after a second step. */
  readonly amr?: readonly AuthenticationMethod[];
  readonly acr?: AssuranceLevel;
  /**
   * Redeems the proof at the start of the admitting transaction: locks the account's row and returns it, or throws a
   * refusal if the proof is no longer valid. Whether the account may begin a session is not its concern.
   */
  redeem(trx: StoreTransaction, now: number): Promise<AccountsTable>;
  /** Changes the account in the same transaction, after shutting others out. */
  establish?(trx: StoreTransaction, established: Established): Promise<void>;
}

interface Established {
  readonly account: AccountsTable;
  /** Admission removed the entries made before the address was proven. */
  readonly isCleared: boolean;
  readonly now: number;
}

interface Admission {
  readonly proof: Proof;
  readonly browser: Browser;
  /** Whether the browser has signed in to this account before. */
  readonly isKnown: boolean;
  readonly dbType?: string | undefined;
  /** The browser becomes a known device that needs no second step for 30 days. */
  readonly skipsSecondStep?: boolean;
  /** Keeps the result for a browser whose response is lost. */
  readonly keep?: Keep<AdmissionResult>;
}

/** How the person has proven who they are, and when (`auth_time`). */
function authenticationBy({ method, amr, acr }: Proof, now: number): Authentication {
  const usual: Method = methods[method];
  return { authTime: now, amr: amr ?? usual.amr, acr: acr ?? usual.acr };
}

type AdmissionDeps = Pick<Service, 'store' | 'now' | 'geoip' | 'parts'> & {
  readonly config: Pick<Service['config'], 'SECOND_STEP' | 'relyingParty'>;
  readonly outbox: Pick<Service['outbox'], 'wake'>;
};

/**
 * Admits a person: the only path from a proof to a session, a known device, records and emails. HTTP turns the result
 * into cookies and tokens (`http/session/grant-session.ts`). Refuses with `email_cannot_be_used` when an operator has
 * locked the account; only after the proof, so that strangers learn nothing.
 */
export async function admit(service: AdmissionDeps, admission: Admission): Promise<AdmissionResult> {
  const { browser, isKnown } = admission;
  const sessionId = randomSecret(128);
  // A token that someone planted in this browser must not become a known device.
  const deviceToken = (isKnown && browser.deviceToken) || randomSecret(256);
  const entry = { ...admission, sessionId, deviceHash: sha256(deviceToken), now: service.now() };
  return enter(service, { ...entry, deviceToken: browser.shared ? undefined : deviceToken });
}

/**
 * Runs a sign-in by a proof that works once (`once`). A repetition by the same browser gets the same session, unless that
 * has ended, and never a second one.
 */
export const admitOnce = (
  service: Pick<Service, 'store' | 'now' | 'secrets'>,
  step: Step,
  work: (keep: Keep<AdmissionResult>) => Promise<AdmissionResult>,
): Promise<AdmissionResult> => once(service, { step, again: (result) => stillAdmitted(service, result) }, work);

async function stillAdmitted(
  { store, now }: Pick<Service, 'store' | 'now'>,
  result: AdmissionResult,
): Promise<AdmissionResult | undefined> {
  if ('pending' in result)
    return (await pendingSignIns.find(store, { token_hash: sha256(result.pending) }, now())) && result;
  const session = await findSession(store, result.sessionId);
  return session && isLive(session, now()) ? { ...result, generation: session.generation } : undefined;
}

async function enter(service: AdmissionDeps, entry: Entry): Promise<AdmissionResult> {
  const { proof, isKnown, now, keep, sessionId, deviceToken } = entry;
  const { beginsSession } = methods[proof.method];
  const admitted = await service.store.transaction().execute(async (trx) => {
    const account = await proof.redeem(trx, now);
    if (beginsSession && account.locked_at !== null)
      throw new Failure('email_cannot_be_used', { about: { account: account.id } });
    const { isCleared, endedSecondStep } = await shutOutOthers(service, trx, { ...entry, account });
    const { acr } = authenticationBy(proof, now);
    const isHalfProven = !endedSecondStep && acr === 'aal1' && needsSecondStep(service, account);
    if (beginsSession && isHalfProven) {
      const { browser, dbType } = entry;
      const first = { account, method: proof.method, browser, dbType, now };
      const pending = await beginSecondStep(service, trx, first);
      if (pending) {
        await keep?.(trx, { accountId: account.id, result: pending, at: now });
        return pending;
      }
    }
    await proof.establish?.(trx, { account, isCleared, now });
    await recordEntry(trx, account, { ...entry, isHalfProven });
    if (beginsSession) {
      await beginSession(trx, account, entry);
      const { notifiesNewDevice = false }: Method = methods[proof.method];
      const isNewDevice = notifiesNewDevice && !isKnown;
      await notifyOfEntry(service, trx, { account, isCleared, isNewDevice, visitor: entry.browser.visitor, at: now });
    }
    const result: Admitted = {
      accountId: account.id,
      deletionCanceled: beginsSession && account.delete_at !== null,
      ...authenticationBy(proof, now),
      ...{ sessionId, deviceToken, shared: entry.browser.shared === true },
    };
    await keep?.(trx, { accountId: account.id, result, at: now });
    return result;
  });
  // A sign-in from a known browser rarely causes emails, and those leave within a second anyway.
  if (!isKnown) service.outbox.wake();
  return admitted;
}

/** Returns whether it removed entries that a stranger may have made, and whether it removed a stranger's second step. */
async function shutOutOthers(
  service: AdmissionDeps,
  trx: StoreTransaction,
  { account, proof, isKnown, browser, now: at }: Entry & { readonly account: AccountsTable },
) {
  const { provesEmail, shutsOut }: Method = methods[proof.method];
  const isFirstProof = provesEmail === true && account.email_proven_at === null && !isKnown;
  const isInvited = isFirstProof && (await isUnusedInvitation(trx, account));
  // A stranger could move it to the address of someone else from now on, so it is no longer unused.
  if (isInvited) await setPassword(trx, { accountId: account.id, hash: noHash, at });
  // A stranger may have registered with this address: its first owner reads its email, in an unknown browser.
  const isCleared = isFirstProof && !isInvited;
  const cause = isCleared ? 'first_proof' : shutsOut;
  if (!cause) return { isCleared, endedSecondStep: false };
  const distrusted = cause === 'password_reset' ? await distrustedAtReset(trx, { accountId: account.id, at }) : [];
  // Unlike a code, a link also sets a password.
  const reason = shutsOut === 'password_reset' ? 'password_changed' : undefined;
  const removed = await shutOut(trx, { account, cause, reason, distrusted, at, parts: service.parts });
  // The email about a cleared account says that everything was removed.
  if (!isCleared) await reportRemoved(service, trx, { account, removed, visitor: browser.visitor, at });
  return { isCleared, endedSecondStep: isCleared || removed.secondStep };
}

/** Whether nobody but an operator has had the account, which never had a password. */
const isUnusedInvitation = async (trx: StoreTransaction, account: AccountsTable): Promise<boolean> =>
  neverHadPassword(account) && (await isCreatedByOperator(trx, account.id));

/** An admission with the new session and the device's hash. */
interface Entry extends Admission {
  readonly sessionId: string;
  readonly deviceToken: string | undefined;
  readonly deviceHash: string;
  readonly now: number;
}

/** Records an entry: a proven address, a known device, the `db_type` label, and a line in the owner's activity log. */
async function recordEntry(
  trx: StoreTransaction,
  { id }: AccountsTable,
  entry: Entry & { readonly isHalfProven: boolean },
): Promise<void> {
  const { proof, browser, isKnown, isHalfProven, dbType, deviceHash, now } = entry;
  const { provesEmail, records }: Method = methods[proof.method];
  const { visitor, shared } = browser;
  if (provesEmail) await proveEmail(trx, { accountId: id, at: now });
  // Otherwise each reset by email would bring another device with guesses of its own at the second step.
  if (!shared && (isKnown || !isHalfProven))
    await rememberDevice(trx, { tokenHash: deviceHash, accountId: id, at: now, visitor });
  // It became a known device before its owner marked it as shared.
  else if (isKnown) await forgetDevice(trx, { accountId: id, tokenHash: deviceHash });
  if (!shared && entry.skipsSecondStep) await skipSecondStep(trx, { tokenHash: deviceHash, accountId: id, now });
  await recordActivity(trx, { accountId: id, at: now, kind: records, visitor });
  if (dbType) await setDbType(trx, id, dbType);
}

/** Begins the session that replaces the browser's former one and keeps an account that was about to be deleted. */
async function beginSession(
  trx: StoreTransaction,
  { id, delete_at, time_zone }: AccountsTable,
  { proof, sessionId, deviceHash, browser: { visitor, shared, formerSession }, now }: Entry,
): Promise<void> {
  const { amr, acr } = authenticationBy(proof, now);
  await addSession(trx, {
    id: sessionId,
    account_id: id,
    created_at: now,
    expires_at: now + sessionLifetime,
    ip: visitor.ip,
    user_agent: visitor.userAgent,
    shared: shared ? 1 : 0,
    amr: amr.join(' '),
    acr,
    device_hash: shared ? null : deviceHash,
  });
  const { timeZone } = visitor;
  // Only the first time: later, its owner decides, wherever they sign in.
  if (time_zone === null && isKnownTimeZone(timeZone)) await setTimeZone(trx, { accountId: id, timeZone });
  await replaceSession(trx, { former: formerSession, sessionId, accountId: id, now });
  if (delete_at === null) return;
  await cancelDeletion(trx, id);
  await recordActivity(trx, { accountId: id, at: now, kind: 'deletion_taken_back', visitor });
}

interface Replacement {
  readonly former: NamedSession | undefined;
  readonly sessionId: string;
  readonly accountId: string;
  readonly now: number;
}

/** Ends a browser's former session; its applications continue in the new one if the same person signed in. */
async function replaceSession(
  trx: StoreTransaction,
  { former: named, sessionId, accountId, now }: Replacement,
): Promise<void> {
  const former = await findNamed(trx, named);
  if (!former) return;
  await moveGrants(trx, { from: former.id, to: sessionId, accountId });
  await endSession(trx, { id: former.id, reason: 'signed_out', at: now });
}

/**
 * Notifies the owner of a sign-in on a device that is new to the account. Never emails an unproven address: a stranger
 * who entered it could have us fill its owner's mailbox.
 */
async function notifyNewDevice(
  { geoip }: Pick<Service, 'geoip'>,
  trx: StoreTransaction,
  { account, visitor, at }: Pick<NoticedEntry, 'account' | 'visitor' | 'at'>,
): Promise<void> {
  if (account.email_proven_at === null || account.mail_new_device === 0) return;
  const place = geoip.of(visitor.ip, account.locale);
  const item = { device: deviceName(visitor.userAgent), ip: visitor.ip, place, when: at };
  await enqueueBatched(trx, { notice: 'new_device', item, account, at });
}

interface NoticedEntry {
  readonly account: AccountsTable;
  readonly visitor: Visitor;
  readonly at: number;
  /** Admission removed the entries made before the address was proven. */
  readonly isCleared: boolean;
  /** The owner gets an email about this browser. */
  readonly isNewDevice: boolean;
}

/** Notifies the owner of what a sign-in brought about. */
async function notifyOfEntry(
  service: Pick<Service, 'geoip'>,
  trx: StoreTransaction,
  { account, visitor, isCleared, isNewDevice, at }: NoticedEntry,
): Promise<void> {
  if (isCleared) {
    // It explains how to set a password. The first proof is what clears an account.
    const proven = { ...account, name: '', email_proven_at: at };
    await enqueueEmail(trx, { notice: 'account_cleared', params: {}, account: proven, at });
  }
  if (account.delete_at !== null) await enqueueCapped(trx, { notice: 'deletion_canceled', params: {}, account, at });
  if (isNewDevice) await notifyNewDevice(service, trx, { account, visitor, at });
}
