import { admit, admitOnce, type Browser, type Proof } from '../../access/admit.ts';
import { guess, limitGuesses, WrongGuess } from '../../access/guesses.ts';
import { type MethodName, methods, withFactor } from '../../access/methods.ts';
import type { Keep } from '../../access/once.ts';
import { requestUse, type UsedPasskey, usePasskey } from '../../access/passkeys.ts';
import { requestOrigin, secondStepWaysOf, verifiers, wayOf } from '../../access/second-step.ts';
import type { BodyRead, ResponseBody } from '../../contract/endpoint.ts';
import { Failure, type FailureCode, refuse, refuseField, tooMuch } from '../../contract/failures.ts';
import type { AdmissionResult, AuthenticationMethod } from '../../contract/sign-in/admission.ts';
import type { SecondStepWay } from '../../contract/sign-in/sign-in-methods.ts';
import { isoOrNull } from '../../contract/units.ts';
import { enqueueEmail } from '../../outbox/enqueue-email.ts';
import { sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { knownDeviceOf } from '../../store/access/devices.ts';
import { attemptSucceeded, lockoutOfSecondStep, secondStepGuessers } from '../../store/access/lockouts.ts';
import { passkeysOf } from '../../store/access/passkeys.ts';
import { countRecoveryCodes } from '../../store/access/recovery-codes.ts';
import { type PendingSignInsTable, pendingSignIns, removalDueAt } from '../../store/access/second-step.ts';
import { type AccountsTable, findAccount, lockAndFindAccount } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { browserKind } from '../../store/browser-names.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';
import * as contract from './second-step.contract.ts';
import { secondStep, secondStepChallenge } from './second-step.contract.ts';

/** The browser that sent the cookie of a pending sign-in. */
export interface PendingBrowser {
  /** The cookie of the pending sign-in. */
  readonly token: string | undefined;
  /** The device cookie. */
  readonly deviceToken: string | undefined;
  readonly visitor: Visitor;
}

interface OpenPendingSignIn {
  readonly pending: PendingSignInsTable;
  readonly account: AccountsTable;
}

/**
 * The pending sign-in of a browser with its account. Undefined without one, after ten minutes, or in another browser than
 * the one whose first factor was right.
 */
export async function openPendingSignIn(
  { store, now }: Pick<Service, 'store' | 'now'>,
  { token, deviceToken, visitor }: PendingBrowser,
): Promise<OpenPendingSignIn | undefined> {
  const pending = token && (await pendingSignIns.find(store, { token_hash: sha256(token) }, now()));
  if (!pending) return undefined;
  const isSameDevice = pending.device_hash === (deviceToken === undefined ? null : sha256(deviceToken));
  const isSameKind = browserKind(pending.user_agent) === browserKind(visitor.userAgent);
  if (!isSameDevice || !isSameKind) return undefined;
  const account = await findAccount(store, pending.account_id);
  return account && { pending, account };
}

/** How this browser can complete its pending sign-in, for a page that was reloaded. */
export async function readPendingSignIn(
  service: Service,
  browser: PendingBrowser,
): Promise<ResponseBody<typeof contract.pendingSignIn>> {
  const opened = await openPendingSignIn(service, browser);
  if (!opened) return { ways: [], removal_at: null };
  const { account } = opened;
  return {
    ways: await secondStepWaysOf(service, account),
    removal_at: isoOrNull(await removalDueAt(service.store, account.id)),
  };
}

interface SecondStepRequest {
  readonly pending: PendingBrowser;
  readonly browser: Omit<Browser, 'shared'>;
  readonly proof: Omit<BodyRead<typeof contract.secondStep>, 'remember'>;
  /** The cookie that binds challenges of passkeys. */
  readonly browserSecret: string | undefined;
  /** The browser needs no second step for 30 days, unless it is shared. */
  readonly remember: boolean;
}

type GuessableWay = Exclude<SecondStepWay, 'passkey'>;

/**
 * Completes a sign-in with its second factor. Refuses with `sign_in_expired`, `code_incorrect`, `passkey_refused`,
 * `too_many_attempts`, or `email_cannot_be_used` when an operator has locked the account.
 */
export async function completeSignIn(service: Service, request: SecondStepRequest): Promise<AdmissionResult> {
  const { proof } = request;
  const way = wayOf(proof);
  if (!way) throw refuseField(contract.secondStep, { field: 'code', code: 'required' });
  const step = { name: 'second_step', browser: request.pending.token, request: proof };
  return measured(service, way, () =>
    admitOnce(service, step, (keep) =>
      way === 'passkey'
        ? completeByPasskey(service, { ...request, keep })
        : completeByCode(service, { ...request, way, keep }),
    ),
  );
}

interface Keeping {
  readonly keep: Keep<AdmissionResult>;
}

async function completeByCode(
  service: Service,
  { way, ...request }: SecondStepRequest & Keeping & { readonly way: GuessableWay },
): Promise<AdmissionResult> {
  const verdict = await limitGuesses(service, {
    limit: service.secondStepGuesses,
    from: request.browser.visitor,
    owner: async () => {
      const opened = await openPendingSignIn(service, request.pending);
      return opened && deviceOf(service, opened, request.browser);
    },
    refusal: (wait) => tooMuch(contract.secondStep, 'too_many_requests', wait),
    judge: () => decide(service, request, way),
  });
  if (verdict.state === 'right') return verdict.result;
  if (verdict.state === 'locked')
    throw tooMuch(contract.secondStep, 'too_many_attempts', verdict.until - service.now());
  throw refuse(contract.secondStep, 'code_incorrect', { attempts_left: verdict.attemptsLeft });
}

async function decide(
  service: Service,
  { pending: presented, browser, proof, remember, keep }: SecondStepRequest & Keeping,
  way: GuessableWay,
) {
  const opened = await openPendingSignIn(service, presented);
  if (!opened) throw refuse(contract.secondStep, 'sign_in_expired');
  const knownDevice = await deviceOf(service, opened, browser);
  const lockout = lockoutOfSecondStep(opened.account.id, knownDevice ?? secondStepGuessers.stranger);
  const second = { ...opened, browser, isKnown: knownDevice !== undefined, remember, keep };
  return guess(service, lockout, () =>
    admitSecond(service, second, async (trx, { account, at }) => {
      const added = await verifiers[way](service, trx, { accountId: account.id, proof, now: at });
      if (!added) throw new WrongGuess();
      await attemptSucceeded(trx, lockout);
      if (way === 'recovery_code') await reportUse(trx, { account, browser, at });
      return added;
    }),
  );
}

/** The owner gets an email once so few codes are left. */
const fewCodes = 3;

async function reportUse(
  trx: StoreTransaction,
  { account, browser, at }: { account: AccountsTable; browser: Omit<Browser, 'shared'>; at: number },
): Promise<void> {
  await recordActivity(trx, { accountId: account.id, at, kind: 'recovery_code_used', visitor: browser.visitor });
  const left = await countRecoveryCodes(trx, account.id);
  if (left > fewCodes) return;
  const params = { left, origin: requestOrigin({ visitor: browser.visitor, at }) };
  await enqueueEmail(trx, { notice: 'recovery_codes_low', params, account, at });
}

/** The hash of the browser's device token, if the browser has signed in to the account before. */
const deviceOf = (
  { store, now }: Service,
  { account }: OpenPendingSignIn,
  { deviceToken }: Pick<Browser, 'deviceToken'>,
): Promise<string | undefined> =>
  knownDeviceOf(store, { deviceHash: deviceToken && sha256(deviceToken), account, now: now() });

interface SecondStep extends OpenPendingSignIn, Keeping {
  readonly browser: Omit<Browser, 'shared'>;
  readonly isKnown: boolean;
  readonly remember: boolean;
}

/** Verifies the second factor once the admitting transaction has locked the account's row. Returns what it adds to `amr`. */
type VerifySecond = (
  trx: StoreTransaction,
  step: { readonly account: AccountsTable; readonly at: number },
) => Promise<readonly AuthenticationMethod[]>;

/** Admits the owner of a pending sign-in, which it uses up, with the second factor that `verify` verifies. */
function admitSecond(
  service: Service,
  { account, pending, browser, isKnown, remember, keep }: SecondStep,
  verify: VerifySecond,
): Promise<AdmissionResult> {
  // Filled in while the transaction redeems the proof, before the session is written.
  const second = { amr: [] as readonly AuthenticationMethod[] };
  const first = pending.method as MethodName;
  const redeemed: Proof = {
    method: first,
    acr: 'aal2',
    get amr() {
      return withFactor(methods[first].amr, second.amr);
    },
    async redeem(trx, at) {
      const current = await lockAndFindAccount(trx, account.id);
      if (!current || !(await pendingSignIns.use(trx, { token_hash: pending.token_hash }, at)))
        throw refuse(contract.secondStep, 'sign_in_expired');
      second.amr = await verify(trx, { account: current, at });
      return current;
    },
  };
  const shared = pending.shared === 1;
  const dbType = pending.db_type ?? undefined;
  const skipsSecondStep = remember && !shared;
  return admit(service, { proof: redeemed, browser: { ...browser, shared }, isKnown, dbType, skipsSecondStep, keep });
}

/** Refusals that are a result of the attempt; an outage or a locked account says nothing about the factor. */
const resultOf = {
  code_incorrect: 'failed',
  passkey_refused: 'failed',
  too_many_attempts: 'limited',
  too_many_requests: 'limited',
  sign_in_expired: 'expired',
  challenge_expired: 'expired',
} as const satisfies Partial<Record<FailureCode, string>>;

/** Counts the result of a second step for Prometheus. */
async function measured<Result>(
  { metrics }: Pick<Service, 'metrics'>,
  method: SecondStepWay,
  complete: () => Promise<Result>,
): Promise<Result> {
  try {
    const completed = await complete();
    metrics?.secondStep({ method, result: 'succeeded' });
    return completed;
  } catch (error) {
    const result = error instanceof Failure && resultOf[error.code as keyof typeof resultOf];
    if (result) metrics?.secondStep({ method, result });
    throw error;
  }
}

/** Returns the options for a second step with a passkey of the account. Refuses with `sign_in_expired`. */
export async function requestSecondStep(
  service: Service,
  { pending: presented, browserSecret }: { readonly pending: PendingBrowser; readonly browserSecret: string },
) {
  const opened = await openPendingSignIn(service, presented);
  if (!opened) throw refuse(secondStepChallenge, 'sign_in_expired');
  const { account, pending } = opened;
  const bound = { accountId: account.id, sessionId: pending.token_hash };
  const passkeys = await passkeysOf(service.store, account.id);
  return requestUse(service, { purpose: 'second_step', browserSecret, ...bound }, passkeys);
}

interface PasskeyStep extends Keeping {
  readonly pending: PendingBrowser;
  readonly browser: Omit<Browser, 'shared'>;
  readonly proof: { readonly credential?: UsedPasskey | undefined };
  readonly browserSecret: string | undefined;
  readonly remember: boolean;
}

/**
 * Completes a sign-in with a passkey of the account. It cannot be guessed, so it needs no lockout. Refuses with
 * `sign_in_expired`, `challenge_expired`, `passkey_refused`, or `email_cannot_be_used` for a locked account.
 */
async function completeByPasskey(service: Service, request: PasskeyStep): Promise<AdmissionResult> {
  const { pending: presented, browser, browserSecret, remember, keep } = request;
  const { credential } = request.proof;
  if (!credential || !service.config.relyingParty) throw refuse(secondStep, 'passkey_refused');
  const opened = await openPendingSignIn(service, presented);
  if (!opened) throw refuse(secondStep, 'sign_in_expired');
  const isKnown = (await deviceOf(service, opened, browser)) !== undefined;
  const bound = { accountId: opened.account.id, sessionId: opened.pending.token_hash };
  const use = { endpoint: secondStep, purpose: 'second_step', credential, browserSecret, ...bound } as const;
  return usePasskey(service, { ...use, visitor: browser.visitor }, ({ amr, redeem }) =>
    admitSecond(service, { ...opened, browser, isKnown, remember, keep }, async (trx, { at }) => {
      await redeem(trx, at);
      return amr;
    }),
  );
}
