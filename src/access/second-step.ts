import type { ActivityKind } from '../contract/activity.ts';
import type { SignInPending } from '../contract/sign-in/admission.ts';
import type { SecondStepWay } from '../contract/sign-in/sign-in-methods.ts';
import type { RequestOrigin } from '../outbox/email/email-content.ts';
import { enqueueCapped } from '../outbox/enqueue-email.ts';
import type { SecondStepChange } from '../outbox/notices/sign-in.ts';
import { macOfRecoveryCode, matchedStep } from '../security/factors.ts';
import { randomSecret, sha256 } from '../security/macs.ts';
import type { Service } from '../server/service.ts';
import {
  acceptStep,
  findAuthenticator,
  forgetPendingSecrets,
  removeAuthenticator,
} from '../store/access/authenticators.ts';
import { forgetRemembered, isRemembered } from '../store/access/devices.ts';
import {
  consumeRecoveryCode,
  countRecoveryCodes,
  removeRecoveryCodes,
  removeRecoveryCodesSince,
} from '../store/access/recovery-codes.ts';
import { pendingSignIns, stopRemoval } from '../store/access/second-step.ts';
import { needsSecondStep, signInMethodsOf } from '../store/access/sign-in-lookup.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import { deviceName } from '../store/browser-names.ts';
import type { Store, StoreTransaction } from '../store/database.ts';
import type { Visitor } from '../store/visitor.ts';
import type { AmrOf } from './methods.ts';

interface FirstFactor {
  readonly account: AccountsTable;
  /** A name of `methods` (`access/methods.ts`). */
  readonly method: string;
  readonly browser: {
    readonly visitor: Visitor;
    readonly deviceToken: string | undefined;
    readonly shared?: boolean | undefined;
  };
  readonly dbType?: string | undefined;
  readonly now: number;
}

/** The settings that decide about second steps. */
interface SecondStepConfig {
  readonly config: Pick<Service['config'], 'SECOND_STEP' | 'relyingParty'>;
}

/**
 * Makes a sign-in wait for its second step, in the transaction that redeemed the first factor. Undefined if the account
 * has no second step, or its owner chose to skip it in this browser.
 */
export async function beginSecondStep(
  { config }: SecondStepConfig,
  trx: StoreTransaction,
  { account, method, browser, dbType, now }: FirstFactor,
): Promise<SignInPending | undefined> {
  if (!needsSecondStep({ config }, account)) return undefined;
  const { id: accountId } = account;
  const { shared, visitor, deviceToken } = browser;
  const deviceHash = deviceToken === undefined ? null : sha256(deviceToken);
  if (!shared && deviceHash && (await isRemembered(trx, { tokenHash: deviceHash, accountId, now }))) return undefined;
  const pending = randomSecret(256);
  await pendingSignIns.add(trx, {
    token_hash: sha256(pending),
    account_id: accountId,
    created_at: now,
    method,
    shared: shared ? 1 : 0,
    db_type: dbType ?? null,
    device_hash: deviceHash,
    user_agent: visitor.userAgent,
  });
  return { accountId, pending, ways: await secondStepWaysOf({ store: trx, config }, account) };
}

/** Methods that can complete a sign-in to an account that has a second step. */
export async function secondStepWaysOf(
  { store, config }: SecondStepConfig & { readonly store: Store },
  account: AccountsTable,
): Promise<SecondStepWay[]> {
  const { authenticator, passkeys } = await signInMethodsOf({ store, config }, account, { password: false });
  return [
    ...(authenticator ? (['authenticator'] as const) : []),
    ...(authenticator && passkeys > 0 ? (['passkey'] as const) : []),
    ...(authenticator && (await countRecoveryCodes(store, account.id)) > 0 ? (['recovery_code'] as const) : []),
  ];
}

/** The second factor that a user sends: exactly one of these fields. */
interface FactorProof {
  readonly code?: string | undefined;
  readonly recovery_code?: string | undefined;
  readonly credential?: object | undefined;
}

type Verifier<Way extends SecondStepWay> = (
  service: Pick<Service, 'secrets'>,
  trx: StoreTransaction,
  verification: { accountId: string; proof: FactorProof; now: number },
) => Promise<AmrOf<Way> | undefined>;

/**
 * Verifies a factor in the caller's transaction, which has locked the account's row, and uses it up. Returns what it adds to `amr`,
 * or undefined if it is wrong. To add a factor that can be guessed, add a row; passkeys are in `access/passkeys/`.
 */
export const verifiers: { readonly [Way in Exclude<SecondStepWay, 'passkey'>]: Verifier<Way> } = {
  async authenticator({ secrets }, trx, { accountId, proof: { code }, now }) {
    const authenticator = await findAuthenticator(trx, accountId);
    if (!code || !authenticator?.secret) return undefined;
    const step = matchedStep(secrets.open(authenticator.secret), code, now);
    const isAccepted = step !== undefined && (await acceptStep(trx, { accountId, secret: authenticator.secret, step }));
    return isAccepted ? ['otp'] : undefined;
  },

  async recovery_code({ secrets }, trx, { accountId, proof: { recovery_code: code } }) {
    const key = (await findAuthenticator(trx, accountId))?.recovery_key;
    if (!code || !key) return undefined;
    const mac = macOfRecoveryCode(secrets.open(key), accountId, code);
    return (await consumeRecoveryCode(trx, { accountId, mac })) ? ['otp'] : undefined;
  },
};

/** The factor that a request contains; undefined if it contains none or several. */
export function wayOf({ code, recovery_code, credential }: FactorProof): SecondStepWay | undefined {
  const sent: readonly (readonly [SecondStepWay, unknown])[] = [
    ['authenticator', code],
    ['recovery_code', recovery_code],
    ['passkey', credential],
  ];
  const [one, ...more] = sent.filter(([, value]) => value !== undefined);
  return more.length === 0 ? one?.[0] : undefined;
}

/** Removes the second step and everything that depends on it; true if there was one. Lock the account's row before. */
export async function endSecondStep(trx: StoreTransaction, accountId: string): Promise<boolean> {
  await pendingSignIns.void(trx, accountId);
  await forgetPendingSecrets(trx, accountId);
  await stopRemoval(trx, accountId);
  await removeRecoveryCodes(trx, accountId);
  await forgetRemembered(trx, accountId);
  return removeAuthenticator(trx, accountId);
}

interface EndedSecondStep {
  readonly accountId: string;
  readonly since: number;
  readonly sessions: readonly string[];
}

/**
 * Removes a second step that was set up at `since` or later, or in one of the sessions, and likewise recovery codes.
 * True if it removed the second step. Lock the account's row before.
 */
export async function endSecondStepSince(trx: StoreTransaction, ended: EndedSecondStep): Promise<boolean> {
  const { accountId, since, sessions } = ended;
  const authenticator = await findAuthenticator(trx, accountId);
  if (!authenticator) return false;
  const { confirmed_at: confirmedAt, session_id: sessionId } = authenticator;
  if (confirmedAt >= since || (sessionId && sessions.includes(sessionId))) return endSecondStep(trx, accountId);
  await removeRecoveryCodesSince(trx, ended);
  return false;
}

const recorded = {
  added: 'authenticator_added',
  removed: 'authenticator_removed',
  renewed: 'recovery_codes_renewed',
  kept: 'second_step_kept',
  lost: 'second_step_removed',
} as const satisfies Record<SecondStepChange, ActivityKind>;

interface ReportedChange {
  readonly account: AccountsTable;
  readonly change: SecondStepChange;
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
  readonly at: number;
}

/** Records a change of the second step, and notifies the owner by email. */
export async function reportChange(
  trx: StoreTransaction,
  { account, change, visitor, at }: ReportedChange,
): Promise<void> {
  await recordActivity(trx, { accountId: account.id, at, kind: recorded[change], visitor });
  const params = { change, when: at, origin: requestOrigin({ visitor, at }) };
  await enqueueCapped(trx, { notice: 'second_step_changed', params, account, at });
}

interface SeenRequest {
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
  readonly at: number;
}

/** Where a request came from, for the email about it; undefined if it was an operator or the service itself. */
export const requestOrigin = ({ visitor: { ip, userAgent }, at }: SeenRequest): RequestOrigin | undefined =>
  ip === '' ? undefined : { device: deviceName(userAgent), ip, when: at };
