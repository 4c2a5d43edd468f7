import { guess, limitGuesses, WrongGuess } from '../../access/guesses.ts';
import { withFactor } from '../../access/methods.ts';
import { type Keep, once, repeatedStep, type Step } from '../../access/once.ts';
import { requestUse, type UsedPasskey, usePasskey } from '../../access/passkeys.ts';
import { reauthenticate } from '../../access/prove-password.ts';
import { verifiers, wayOf } from '../../access/second-step.ts';
import type { BodyRead } from '../../contract/endpoint.ts';
import { refuse, refuseField, tooMuch } from '../../contract/failures.ts';
import type { Authentication } from '../../contract/sign-in/admission.ts';
import { stepUpWaysOf } from '../../contract/sign-in/sign-in-methods.ts';
import * as contract from '../../contract/sign-in/step-up.ts';
import { isPassword } from '../../security/imported-hashes.ts';
import type { Service } from '../../server/service.ts';
import { attemptSucceeded, lockoutOfSecondStep, secondStepGuessers } from '../../store/access/lockouts.ts';
import { passkeysOf } from '../../store/access/passkeys.ts';
import { lockSignedInAccount } from '../../store/access/session-owner.ts';
import { renewAuthentication, signInMethodsOf } from '../../store/access/sign-in-lookup.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';

interface StepUpRequest extends Authentication {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly visitor: Visitor;
  readonly proof: BodyRead<typeof contract.stepUp>;
  /** The cookie that binds challenges of passkeys. */
  readonly browserSecret: string | undefined;
}

/**
 * Proves again who the signed-in user is, and returns the session's new authentication. A password proves nothing if the
 * account has a second step. Refuses a method that the account does not accept with `step_up_required`.
 */
export async function stepUp(service: Service, request: StepUpRequest): Promise<Authentication> {
  const { account, proof } = request;
  const factor = wayOf(proof);
  const isAlone = (proof.password === undefined) === (factor !== undefined);
  if (!isAlone) throw refuseField(contract.stepUp, { field: 'password', code: 'required' });
  const ways = stepUpWaysOf(await signInMethodsOf(service, account, { password: isPassword(account.password_hash) }));
  const way = factor === undefined ? 'password' : factor;
  if (way === 'recovery_code' || !ways.includes(way)) throw refuse(contract.stepUp, 'step_up_required', { ways });
  if (way === 'password') return byPassword(service, request);
  const step = { name: 'step_up', browser: request.sessionId, request: proof };
  return once(service, { step, again: async (renewed) => renewed }, (keep) =>
    way === 'passkey'
      ? stepUpByPasskey(service, { ...request, keep })
      : byFactor(service, { ...request, way, step, keep }),
  );
}

function byPassword(service: Service, request: StepUpRequest): Promise<Authentication> {
  const { account, visitor: from, proof, amr, acr, authTime } = request;
  const asking = { endpoint: contract.stepUp, from, accountId: account.id, authTime, password: proof.password };
  return reauthenticate(service, asking, () =>
    service.store
      .transaction()
      .execute((trx) =>
        renew(trx, request, { authTime: service.now(), amr: amr.includes('pwd') ? amr : [...amr, 'pwd'], acr }),
      ),
  );
}

interface FactorStepUp extends StepUpRequest {
  readonly way: 'authenticator';
  readonly step: Step;
  readonly keep: Keep<Authentication>;
}

async function byFactor(service: Service, request: FactorStepUp): Promise<Authentication> {
  const { account, proof, amr, way, step, keep } = request;
  const lockout = lockoutOfSecondStep(account.id, secondStepGuessers.signedIn);
  const judge = () =>
    guess(service, lockout, () =>
      service.store.transaction().execute(async (trx) => {
        const now = service.now();
        // Before the factor is used up, because the session may have ended.
        await lockForStepUp(trx, request, now);
        const added = await verifiers[way](service, trx, { accountId: account.id, proof, now });
        // A repetition by the same browser is not a guess.
        if (!added && (await repeatedStep(service, trx, { step, now })))
          throw refuse(contract.stepUp, 'code_incorrect');
        if (!added) throw new WrongGuess();
        await attemptSucceeded(trx, lockout);
        const renewed = await renew(trx, request, { authTime: now, amr: withFactor(amr, added), acr: 'aal2' });
        await keep(trx, { accountId: account.id, result: renewed, at: now });
        return renewed;
      }),
    );
  const verdict = await limitGuesses(service, {
    limit: service.stepUpGuesses,
    from: request.visitor,
    owner: async () => account.id,
    refusal: (wait) => tooMuch(contract.stepUp, 'too_many_attempts', wait),
    judge,
  });
  if (verdict.state === 'right') return verdict.result;
  if (verdict.state === 'locked') throw tooMuch(contract.stepUp, 'too_many_attempts', verdict.until - service.now());
  throw refuse(contract.stepUp, 'code_incorrect', { attempts_left: verdict.attemptsLeft });
}

const lockForStepUp = (trx: StoreTransaction, { account, sessionId }: StepUpRequest, now: number) =>
  lockSignedInAccount(trx, { endpoint: contract.stepUp, accountId: account.id, sessionId, now });

/** Stores the proof in the session, unless the session has ended meanwhile. */
async function renew(trx: StoreTransaction, request: StepUpRequest, renewed: Authentication): Promise<Authentication> {
  await lockForStepUp(trx, request, renewed.authTime);
  await renewAuthentication(trx, request.sessionId, renewed);
  return renewed;
}

interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string;
}

/** Returns the options for a step-up with a passkey of the signed-in account. */
export async function requestStepUp(
  service: Service,
  { accountId, sessionId, browserSecret }: SignedIn & { readonly browserSecret: string },
) {
  const challenge = { purpose: 'step_up', browserSecret, accountId, sessionId } as const;
  return requestUse(service, challenge, await passkeysOf(service.store, accountId));
}

interface PasskeyStepUp extends Pick<Authentication, 'amr'> {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly proof: { readonly credential?: UsedPasskey | undefined };
  readonly browserSecret: string | undefined;
  readonly visitor: Visitor;
  readonly keep: Keep<Authentication>;
}

/**
 * Proves with a passkey of the account who the signed-in user is, and returns the session's new authentication. Refuses
 * with `challenge_expired` or `passkey_refused`.
 */
async function stepUpByPasskey(service: Service, request: PasskeyStepUp): Promise<Authentication> {
  const { account, sessionId, proof, browserSecret, visitor } = request;
  const { id: accountId } = account;
  if (!proof.credential) throw refuse(contract.stepUp, 'passkey_refused');
  const bound = { browserSecret, accountId, sessionId, visitor };
  const use = { endpoint: contract.stepUp, purpose: 'step_up', credential: proof.credential, ...bound } as const;
  return usePasskey(service, use, ({ amr, redeem }) =>
    service.store.transaction().execute(async (trx) => {
      const now = service.now();
      await lockSignedInAccount(trx, { endpoint: contract.stepUp, accountId, sessionId, now });
      await redeem(trx, now);
      const renewed = { authTime: now, amr: withFactor(request.amr, amr), acr: 'aal2' } as const;
      await renewAuthentication(trx, sessionId, renewed);
      await request.keep(trx, { accountId, result: renewed, at: now });
      return renewed;
    }),
  );
}
