import { Failure, type Refusing, refuse } from '../contract/failures.ts';
import { challengeLifetime } from '../contract/sign-in/admission.ts';
import { enqueueCapped } from '../outbox/enqueue-email.ts';
import { randomSecret, sha256 } from '../security/macs.ts';
import {
  challengeIn,
  InvalidCredential,
  type RelyingParty,
  type UsedCredential,
  verifyUse,
} from '../security/web-authn/web-authn.ts';
import type { Service } from '../server/service.ts';
import {
  type ChallengePurpose,
  challenges,
  findPasskey,
  type OwnedPasskey,
  type PasskeysTable,
  type PresentedChallenge,
  recordPasskeyUse,
} from '../store/access/passkeys.ts';
import { type AccountsTable, lockAndFindAccount } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import { deviceName } from '../store/browser-names.ts';
import type { StoreTransaction } from '../store/database.ts';
import type { Visitor } from '../store/visitor.ts';
import type { AmrOf } from './methods.ts';

/** `AuthenticationResponseJSON`, as the contract parses it (`contract/sign-in/web-authn.ts`). */
export type UsedPasskey = Parameters<typeof verifyUse>[0];

interface PasskeyUse {
  readonly endpoint: Refusing<'passkey_refused' | 'challenge_expired'>;
  readonly credential: UsedPasskey;
  readonly purpose: ChallengePurpose;
  /** The secret cookie of the browser; undefined in a browser that has requested no challenge. */
  readonly browserSecret: string | undefined;
  /** The account and the session that requested the challenge, if it was not for a sign-in. */
  readonly accountId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly visitor: Visitor;
}

interface VerifiedPasskey {
  readonly accountId: string;
  /** How tokens describe it: synced passkeys are keys in software. */
  readonly amr: AmrOf<'passkey'>;
  /**
   * Uses the challenge up and records the use, in the caller's transaction. Locks the account's row and returns it.
   */
  redeem(trx: StoreTransaction, now: number): Promise<AccountsTable>;
}

/**
 * Verifies a passkey and runs `work`, which redeems it in the transaction that depends on it. Refuses with
 * `challenge_expired`, which leaves a challenge of another browser, account or purpose valid, or with `passkey_refused`.
 * A sign-in with an unknown passkey is refused with `passkey_unknown`. A counter that went back is reported
 * to the owner.
 */
export async function usePasskey<Result>(
  service: Service,
  use: PasskeyUse,
  work: (verified: VerifiedPasskey) => Promise<Result>,
): Promise<Result> {
  const { store, now } = service;
  const presented = presentedBy(use);
  if (!(await challenges.find(store, presented, now()))) throw refuse(use.endpoint, 'challenge_expired');
  const passkey = await findPasskey(store, use.credential.id);
  try {
    const known = passkey && isOwn(passkey, use) ? passkey : undefined;
    if (!known) throw unknownPasskey(service, use);
    const used = await verify(service, { use, passkey: known });
    return await work({
      accountId: known.account_id,
      amr: [isSoftware(known, used) ? 'swk' : 'hwk', 'user', 'mfa'],
      redeem: (trx, at) => redeem(service, trx, { use, accountId: known.account_id, presented, used, at }),
    });
  } catch (error) {
    if (!(error instanceof Failure) || !usesUpChallenge.has(error.code)) throw error;
    if (passkey && error.detail.cause instanceof CounterWentBack) await reportCopy(service, { passkey, use });
    await challenges.use(store, presented, now());
    throw error;
  }
}

/** Refusals after which the browser needs a new challenge. */
const usesUpChallenge: ReadonlySet<string> = new Set(['passkey_unknown', 'passkey_refused']);

class CounterWentBack extends InvalidCredential {}

/** A key that could ever be copied is not bound to hardware, whatever its authenticator says later. */
const isSoftware = (
  { backup_eligible, eligibility_changed_at }: PasskeysTable,
  { backupEligible }: UsedCredential,
): boolean => backup_eligible === 1 || backupEligible || eligibility_changed_at !== null;

function presentedBy({ credential, purpose, browserSecret = '', ...use }: PasskeyUse): PresentedChallenge {
  return {
    hash: sha256(claimedChallenge(credential, use.endpoint)),
    purpose,
    browser_hash: sha256(browserSecret),
    account_id: use.accountId ?? null,
    session_id: use.sessionId ?? null,
  };
}

function claimedChallenge(credential: UsedPasskey, endpoint: PasskeyUse['endpoint']): string {
  try {
    return challengeIn(credential as Parameters<typeof challengeIn>[0]);
  } catch (cause) {
    throw refuse(endpoint, 'passkey_refused', { cause });
  }
}

const isOwn = (passkey: OwnedPasskey, { accountId }: PasskeyUse): boolean =>
  accountId === undefined || passkey.account_id === accountId;

function unknownPasskey(service: Service, { endpoint, purpose, credential }: PasskeyUse): Failure {
  if (purpose !== 'sign_in') {
    const cause = new InvalidCredential('the account has no such passkey');
    return refuse(endpoint, 'passkey_refused', { cause });
  }
  return new Failure('passkey_unknown', { rp_id: relyingPartyOf(service).id, credential_id: credential.id });
}

async function verify(
  service: Service,
  { use, passkey }: { use: PasskeyUse; passkey: OwnedPasskey },
): Promise<UsedCredential> {
  const { credential, endpoint } = use;
  const { id, public_key: publicKey, handle: userHandle, account_id: account } = passkey;
  try {
    return await verifyUse(credential, {
      challenge: claimedChallenge(credential, endpoint),
      relyingParty: relyingPartyOf(service),
      known: { id, publicKey, userHandle },
    });
  } catch (cause) {
    if (!(cause instanceof InvalidCredential)) throw cause;
    throw refuse(endpoint, 'passkey_refused', { cause, about: { account } });
  }
}

interface Redeemed {
  readonly use: PasskeyUse;
  /** The account of the passkey when it was verified. */
  readonly accountId: string;
  readonly presented: PresentedChallenge;
  readonly used: UsedCredential;
  readonly at: number;
}

async function redeem(
  service: Service,
  trx: StoreTransaction,
  { use, accountId, presented, used, at }: Redeemed,
): Promise<AccountsTable> {
  const { endpoint, credential, visitor } = use;
  const account = await lockAndFindAccount(trx, accountId);
  // Read again under the lock: another use may have raised the counter, or the owner removed the passkey.
  const passkey = account && (await findPasskey(trx, credential.id));
  if (!account || passkey?.account_id !== accountId) throw unknownPasskey(service, use);
  if (!(await challenges.use(trx, presented, at))) throw refuse(endpoint, 'challenge_expired');
  if (wentBack(passkey, used)) {
    const cause = new CounterWentBack(`the counter went from ${passkey.counter} to ${used.counter}`);
    if (mustCount(passkey, used)) throw refuse(endpoint, 'passkey_refused', { cause, about: { account: account.id } });
    await notifyPasskeyCopied(service, trx, { account, passkey, visitor, at });
  }
  const { counter, backupEligible, backedUp } = used;
  const hasChanged = backupEligible !== (passkey.backup_eligible === 1);
  if (hasChanged) await reportChange(service, trx, { account, passkey, visitor, at });
  await recordPasskeyUse(trx, {
    id: passkey.id,
    counter,
    backup_eligible: backupEligible ? 1 : 0,
    backed_up: backedUp ? 1 : 0,
    last_used_at: at,
    ...(hasChanged && { eligibility_changed_at: at }),
  });
  return account;
}

/**
 * The devices of a synced passkey may count separately, and an authenticator may stop counting: both work, and the owner
 * is notified. Only a counter that goes on from a lower number is refused.
 */
const mustCount = (passkey: PasskeysTable, used: UsedCredential): boolean =>
  used.counter > 0 && !isSoftware(passkey, used);

/** Devices of one owner may differ for long, such as before and after an update: only the first change is emailed. */
function reportChange(deps: NotifierDeps, trx: StoreTransaction, event: PasskeyEvent & { passkey: PasskeysTable }) {
  if (event.passkey.eligibility_changed_at === null) return notifyPasskeyChanged(deps, trx, event);
  const { account, visitor, at } = event;
  return recordActivity(trx, { accountId: account.id, at, kind: 'passkey_changed', visitor });
}

/** WebAuthn Level 3, section 7.2, step 22: a counter that does not rise suggests a copy, unless both are 0. */
const wentBack = ({ counter: before }: Pick<OwnedPasskey, 'counter'>, { counter }: UsedCredential): boolean =>
  (before > 0 || counter > 0) && counter <= before;

/** The refusal rolled its transaction back, so the report gets its own. */
async function reportCopy(
  service: Service,
  { passkey, use }: { passkey: OwnedPasskey; use: PasskeyUse },
): Promise<void> {
  const at = service.now();
  await service.store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, passkey.account_id);
    if (account) await notifyPasskeyCopied(service, trx, { account, passkey, visitor: use.visitor, at });
  });
  service.outbox.wake();
}

interface ChallengeRequest {
  readonly purpose: ChallengePurpose;
  /** The secret cookie of the browser. */
  readonly browserSecret: string;
  /** Absent for a sign-in, which begins without an account. */
  readonly accountId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** The browser creates the passkey without a prompt. */
  readonly automatic?: boolean | undefined;
}

/** Stores a new challenge and returns it. Earlier challenges of the same browser stay valid. */
export async function requestChallenge({ store, now }: Service, request: ChallengeRequest): Promise<string> {
  const challenge = randomSecret(256);
  await challenges.add(store, {
    hash: sha256(challenge),
    purpose: request.purpose,
    browser_hash: sha256(request.browserSecret),
    account_id: request.accountId ?? null,
    session_id: request.sessionId ?? null,
    automatic: request.automatic ? 1 : 0,
    created_at: now(),
  });
  return challenge;
}

/** The domain and origins of passkeys. Routes that need them are not mounted without passkeys. */
export function relyingPartyOf({ config }: Pick<Service, 'config'>): RelyingParty {
  if (!config.relyingParty) throw new Error('passkeys are off');
  return config.relyingParty;
}

/** Names a passkey for the browser. */
export const descriptorOf = ({ id, transports }: Pick<PasskeysTable, 'id' | 'transports'>) => ({
  id,
  type: 'public-key' as const,
  ...(transports && { transports: transports.split(',') }),
});

/** Requests a challenge and returns the options for `navigator.credentials.get`, for these passkeys or any of the site. */
export async function requestUse(service: Service, request: ChallengeRequest, passkeys?: readonly PasskeysTable[]) {
  return {
    challenge: await requestChallenge(service, request),
    timeout: challengeLifetime,
    rpId: relyingPartyOf(service).id,
    userVerification: 'required' as const,
    ...(passkeys && { allowCredentials: passkeys.map(descriptorOf) }),
  };
}

interface PasskeyEvent {
  readonly account: AccountsTable;
  readonly passkey: Pick<PasskeysTable, 'name'>;
  readonly visitor: Visitor;
  readonly at: number;
}

type NotifierDeps = Pick<Service, 'geoip'>;
type PasskeyNotice = 'passkey_added' | 'passkey_removed' | 'passkey_copied' | 'passkey_changed';

/** Records an event of a passkey, and emails its owner. */
const notifying =
  (notice: PasskeyNotice) =>
  async (
    { geoip }: NotifierDeps,
    trx: StoreTransaction,
    { account, passkey, visitor, at }: PasskeyEvent,
  ): Promise<void> => {
    await recordActivity(trx, { accountId: account.id, at, kind: notice, visitor });
    const place = geoip.of(visitor.ip, account.locale);
    const params = { passkey: passkey.name, device: deviceName(visitor.userAgent), ip: visitor.ip, place, when: at };
    await enqueueCapped(trx, { notice, params, account, at });
  };

export const notifyPasskeyAdded = notifying('passkey_added');
export const notifyPasskeyRemoved = notifying('passkey_removed');
/** The passkey's counter went back, so it may have been copied. */
const notifyPasskeyCopied = notifying('passkey_copied');
/** Its authenticator now says otherwise whether it can be copied to other devices. */
const notifyPasskeyChanged = notifying('passkey_changed');
