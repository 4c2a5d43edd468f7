import type { Browser } from '../../access/admission.ts';
import { guess, WrongGuess } from '../../access/guess-under-lockout.ts';
import { limitGuesses } from '../../access/limit-guesses.ts';
import { requestOrigin } from '../../access/second-step/request-origin.ts';
import { verifiers, wayOf } from '../../access/second-step/verify-factor.ts';
import type { BodyRead } from '../../contract/endpoint.ts';
import { refuse, refuseField, tooMuch } from '../../contract/refuse.ts';
import type { AdmissionResult } from '../../contract/sign-in/authentication.ts';
import type { SecondStepWay } from '../../contract/sign-in/sign-in-methods.ts';
import { enqueueEmail } from '../../outbox/enqueue-email.ts';
import type { Service } from '../../server/service.ts';
import { attemptSucceeded, lockoutOfSecondStep, secondStepGuessers } from '../../store/access/lockouts.ts';
import { countRecoveryCodes } from '../../store/access/second-step/recovery-codes.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { admitSecond, knownDeviceOf } from './admit-second.ts';
import { measured } from './measure-second-step.ts';
import { openPendingSignIn, type PendingBrowser } from './open-pending-sign-in.ts';
import { secondStep as contract } from './second-step.contract.ts';
import { completeByPasskey } from './second-step-by-passkey.ts';

interface SecondStepRequest {
  readonly pending: PendingBrowser;
  readonly browser: Omit<Browser, 'shared'>;
  readonly proof: Omit<BodyRead<typeof contract>, 'remember'>;
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
  if (!way) throw refuseField(contract, { field: 'code', code: 'required' });
  return measured(service, way, () =>
    way === 'passkey' ? completeByPasskey(service, request) : completeByCode(service, { ...request, way }),
  );
}

async function completeByCode(
  service: Service,
  { way, ...request }: SecondStepRequest & { readonly way: GuessableWay },
): Promise<AdmissionResult> {
  const verdict = await limitGuesses(service, {
    limit: service.secondStepGuesses,
    from: request.browser.visitor,
    owner: async () => {
      const opened = await openPendingSignIn(service, request.pending);
      return opened && knownDeviceOf(service, opened, request.browser);
    },
    refusal: (wait) => tooMuch(contract, 'too_many_requests', wait),
    judge: () => decide(service, request, way),
  });
  if (verdict.state === 'right') return verdict.result;
  if (verdict.state === 'locked') throw tooMuch(contract, 'too_many_attempts', verdict.until - service.now());
  throw refuse(contract, 'code_incorrect', { attemptsLeft: verdict.attemptsLeft });
}

async function decide(
  service: Service,
  { pending: presented, browser, proof, remember }: SecondStepRequest,
  way: GuessableWay,
) {
  const opened = await openPendingSignIn(service, presented);
  if (!opened) throw refuse(contract, 'sign_in_expired');
  const knownDevice = await knownDeviceOf(service, opened, browser);
  const lockout = lockoutOfSecondStep(opened.account.id, knownDevice ?? secondStepGuessers.stranger);
  const second = { ...opened, browser, isKnown: knownDevice !== undefined, remember };
  return guess(service, lockout, () =>
    admitSecond(service, second, async (trx, { held, at }) => {
      const added = await verifiers[way](service, trx, { accountId: held.id, proof, now: at });
      if (!added) throw new WrongGuess();
      await attemptSucceeded(trx, lockout);
      if (way === 'recovery_code') await reportUse(trx, { account: held, browser, at });
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
