import { type AdmissionResult, admit, type Browser, type Proof } from '../../access/admit.ts';
import { guess, WrongGuess } from '../../access/guess.ts';
import { type MethodName, methods } from '../../access/methods.ts';
import { type FactorProof, verifiers, wayOf, withFactor } from '../../access/second-step/verify-factor.ts';
import type { AuthenticationMethod } from '../../contract/authentication.ts';
import { refuse, refuseField, tooMuch } from '../../contract/refuse.ts';
import type { SecondStepWay } from '../../contract/sign-in-methods.ts';
import { enqueueEmail } from '../../outbox/enqueue-email.ts';
import { sha256 } from '../../security/secrets.ts';
import type { Service } from '../../server/service.ts';
import { deviceLifetime, isKnownDevice } from '../../store/access/devices.ts';
import { attemptSucceeded, secondStepLock, secondStepLockers } from '../../store/access/lockouts.ts';
import { consumePendingSignIn } from '../../store/access/second-step/pending-sign-ins.ts';
import { countRecoveryCodes } from '../../store/access/second-step/recovery-codes.ts';
import { type AccountsTable, holdAndFind } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { openPendingSignIn, type PendingBrowser } from './open-pending-sign-in.ts';
import { secondStep as contract } from './second-step.contract.ts';

interface SecondStepRequest {
  readonly pending: PendingBrowser;
  readonly browser: Omit<Browser, 'shared'>;
  readonly proof: FactorProof;
  /** The browser needs no second step for 30 days, unless it is shared. */
  readonly remember: boolean;
}

/** Whether a wrong factor is a wrong code, for its refusal. */
const wrongCodes = {
  authenticator: 'code_incorrect',
  recovery_code: 'code_incorrect',
  passkey: 'passkey_refused',
} as const satisfies Record<SecondStepWay, string>;

/**
 * Completes a sign-in with its second factor. Refuses with `sign_in_expired`, `code_incorrect`, `passkey_refused`,
 * `too_many_attempts`, or `email_cannot_be_used` when an operator has locked the account.
 */
export async function completeSignIn(service: Service, request: SecondStepRequest): Promise<AdmissionResult> {
  const { proof, browser } = request;
  const way = wayOf(proof);
  if (!way) throw refuseField(contract, { field: 'code', code: 'required' });
  const wait = service.secondStepGuesses.wait(browser.visitor);
  if (wait > 0) throw tooMuch(contract, 'too_many_requests', wait);
  // Before the first `await`, so that parallel guesses cannot pass the limit.
  const uncount = service.secondStepGuesses.count(browser.visitor);
  let isWrong = false;
  try {
    const verdict = await decide(service, request, way);
    if (verdict.state === 'right') return verdict.result;
    if (verdict.state === 'locked') throw tooMuch(contract, 'too_many_attempts', verdict.until - service.now());
    isWrong = true;
    throw refuse(contract, wrongCodes[way], { attemptsLeft: verdict.attemptsLeft });
  } finally {
    if (!isWrong) uncount();
  }
}

async function decide(
  service: Service,
  { pending: presented, browser, proof, remember }: SecondStepRequest,
  way: SecondStepWay,
) {
  const { store, now } = service;
  const opened = await openPendingSignIn(service, presented);
  if (!opened) throw refuse(contract, 'sign_in_expired');
  const { account, pending } = opened;
  const tokenHash = browser.deviceToken === undefined ? undefined : sha256(browser.deviceToken);
  const isKnown =
    tokenHash !== undefined &&
    (await isKnownDevice(store, { tokenHash, accountId: account.id, since: now() - deviceLifetime }));
  const lockout = secondStepLock(account.id, isKnown ? tokenHash : secondStepLockers.stranger);
  const shared = pending.shared === 1;
  return guess(service, lockout, async () => {
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
        const held = await holdAndFind(trx, account.id);
        if (!held || !(await consumePendingSignIn(trx, { tokenHash: pending.token_hash, now: at })))
          throw refuse(contract, 'sign_in_expired');
        if (held.locked_at !== null) throw refuse(contract, 'email_cannot_be_used');
        const added = await verifiers[way](service, trx, { accountId: held.id, proof, now: at });
        if (!added) throw new WrongGuess();
        second.amr = added;
        await attemptSucceeded(trx, lockout);
        if (way === 'recovery_code') await reportUse(trx, { account: held, browser, at });
        return held;
      },
    };
    const dbType = pending.db_type ?? undefined;
    const skipsSecondStep = remember && !shared;
    return admit(service, { proof: redeemed, browser: { ...browser, shared }, isKnown, dbType, skipsSecondStep });
  });
}

/** The owner gets an email once so few codes are left. */
const fewCodes = 3;

async function reportUse(
  trx: StoreTransaction,
  { account, browser, at }: { account: AccountsTable; browser: Omit<Browser, 'shared'>; at: number },
): Promise<void> {
  await recordActivity(trx, { accountId: account.id, at, kind: 'recovery_code_used', visitor: browser.visitor });
  const left = await countRecoveryCodes(trx, account.id);
  if (left <= fewCodes) await enqueueEmail(trx, { notice: 'recovery_codes_low', params: { left }, account, at });
}
