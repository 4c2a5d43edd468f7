import { randomBytes } from 'node:crypto';
import { guess, WrongGuess } from '../../../access/guesses.ts';
import { withFactor } from '../../../access/methods.ts';
import { type Keep, keepStep, once, repeatedStep } from '../../../access/once.ts';
import { endSecondStep, reportChange } from '../../../access/second-step.ts';
import { stopRemoval } from '../../../access/second-step-removal.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { refuse, tooMuch } from '../../../contract/failures.ts';
import type { Authentication } from '../../../contract/sign-in/admission.ts';
import { iso, isoOrNull } from '../../../contract/units.ts';
import {
  base32,
  keyUri,
  macOfRecoveryCode,
  matchedStep,
  newRecoveryCodes,
  newTotpSecret,
} from '../../../security/factors.ts';
import { isPassword } from '../../../security/imported-hashes.ts';
import type { Service } from '../../../server/service.ts';
import {
  confirmSecret,
  findPendingSecret,
  forgetPendingSecrets,
  pendingSecretLifetime,
  setPendingSecret,
} from '../../../store/access/authenticators.ts';
import { countRemembered, forgetRemembered } from '../../../store/access/devices.ts';
import { attemptSucceeded, lockoutOfSecondStep, secondStepGuessers } from '../../../store/access/lockouts.ts';
import { countRecoveryCodes, recoveryCodesMadeAt, replaceRecoveryCodes } from '../../../store/access/recovery-codes.ts';
import { removalDueAt, stopRemoval as voidRemoval } from '../../../store/access/second-step.ts';
import { lockSignedInAccount, type Owner } from '../../../store/access/session-owner.ts';
import { renewAuthentication, signInMethodsOf } from '../../../store/access/sign-in-lookup.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { pendingEmailChange } from '../../../store/accounts/email-changes.ts';
import type { Store, StoreTransaction } from '../../../store/database.ts';
import { repeatableFor } from '../../../store/single-use.ts';
import type { Visitor } from '../../../store/visitor.ts';
import * as contract from './second-step-settings.contract.ts';

export interface OwnRequest extends Authentication {
  readonly accountId: string;
  readonly sessionId: string;
  readonly visitor: Visitor;
}

/** Creates a secret that waits for its first code in this session. An authenticator in use stays valid until then. */
export async function beginAuthenticator(
  { secrets, config }: Service,
  trx: StoreTransaction,
  { account, sessionId, at }: Owner,
) {
  // A second request of the same page must not void the secret that it shows.
  const recent = await findPendingSecret(trx, { sessionId, now: at, within: repeatableFor });
  const secret = recent === undefined ? newTotpSecret() : secrets.open(recent);
  const sealed = recent ?? secrets.seal(secret);
  await setPendingSecret(trx, { session_id: sessionId, account_id: account.id, secret: sealed, created_at: at });
  const written = base32(secret);
  const uri = keyUri({ secret: written, issuer: config.PRODUCT_NAME, account: account.email });
  return { secret: written, uri, expires_in: pendingSecretLifetime / 1000 };
}

/**
 * Puts the new authenticator into use with its first code: from now on, sign-ins need a second step. The session counts
 * as proven with both factors. Returns recovery codes unless the account has some. Refuses with `code_incorrect`,
 * `code_expired` or `too_many_attempts`.
 */
export function confirmAuthenticator(
  service: Service,
  request: OwnRequest & { readonly code: string },
): Promise<Partial<RecoveryCodes>> {
  const { accountId, sessionId: browser, code } = request;
  const step = { name: 'confirm_authenticator', browser, request: code };
  const again = async (made: Partial<RecoveryCodes>) =>
    (await areInForce(service.store, accountId, made)) ? made : undefined;
  return once<Partial<RecoveryCodes>>(service, { step, again }, (keep) => confirm(service, request, keep));
}

interface RecoveryCodes {
  readonly recovery_codes: string[];
  readonly recovery_codes_made_at: string;
}

/** Whether these are the account's current recovery codes; true if there are none to show. */
const areInForce = async (store: Store, accountId: string, made: Partial<RecoveryCodes>): Promise<boolean> =>
  made.recovery_codes_made_at === undefined ||
  made.recovery_codes_made_at === isoOrNull(await recoveryCodesMadeAt(store, accountId));

async function confirm(
  service: Service,
  { code, ...request }: OwnRequest & { readonly code: string },
  keep: Keep<Partial<RecoveryCodes>>,
): Promise<Partial<RecoveryCodes>> {
  const endpoint = contract.confirmAuthenticator;
  const { accountId, sessionId, visitor, amr } = request;
  const lockout = lockoutOfSecondStep(accountId, secondStepGuessers.signedIn);
  const verdict = await guess(service, lockout, () =>
    service.store.transaction().execute(async (trx) => {
      const at = service.now();
      const account = await lockSignedInAccount(trx, { endpoint, accountId, sessionId, now: at });
      const secret = await findPendingSecret(trx, { sessionId, now: at });
      if (secret === undefined) throw refuse(endpoint, 'code_expired');
      const step = matchedStep(service.secrets.open(secret), code, at);
      if (step === undefined) throw new WrongGuess();
      await confirmSecret(trx, { accountId, sessionId, secret, step, at });
      // An account has one authenticator: without a new setup, no other session replaces it.
      await forgetPendingSecrets(trx, accountId);
      // The owner has a second step again, so the removal is obsolete.
      await voidRemoval(trx, accountId);
      await attemptSucceeded(trx, lockout);
      await renewAuthentication(trx, sessionId, { authTime: at, amr: withFactor(amr, ['otp']), acr: 'aal2' });
      await reportChange(trx, { account, change: 'added', visitor, at });
      const hasCodes = (await countRecoveryCodes(trx, accountId)) > 0;
      const result = hasCodes ? {} : await makeRecoveryCodes(service, trx, { accountId, sessionId, at });
      await keep(trx, { accountId, result, at });
      return result;
    }),
  );
  if (verdict.state === 'locked') throw tooMuch(endpoint, 'too_many_attempts', verdict.until - service.now());
  if (verdict.state === 'wrong') throw refuse(endpoint, 'code_incorrect', { attempts_left: verdict.attemptsLeft });
  service.outbox.wake();
  return verdict.result;
}

/** Removes the authenticator, and with it the second step. Without one, it only voids secrets that are not confirmed. */
export async function removeAuthenticator(trx: StoreTransaction, { account, visitor, at }: Owner): Promise<void> {
  if (await endSecondStep(trx, account.id)) await reportChange(trx, { account, change: 'removed', visitor, at });
}

/**
 * Replaces the recovery codes. Two requests of the same session within a minute return the same codes: otherwise a page
 * could show codes that the other request voided. Refuses with `not_found` if the account has no authenticator.
 */
export async function renewRecoveryCodes(
  service: Service,
  trx: StoreTransaction,
  { account, accountId, sessionId, visitor, at }: Owner,
): Promise<RecoveryCodes> {
  if (account.second_step_at === null) throw refuse(contract.renewRecoveryCodes, 'not_found');
  const step = { name: 'renew_recovery_codes', browser: sessionId, request: null };
  const repeated = await repeatedStep<RecoveryCodes>(service, trx, { step, now: at });
  if (repeated && (await areInForce(trx, accountId, repeated))) return repeated;
  await reportChange(trx, { account, change: 'renewed', visitor, at });
  const result = await makeRecoveryCodes(service, trx, { accountId, sessionId, at });
  await keepStep(service, trx, { step, accountId, result, at });
  return result;
}

export async function keepSecondStep(trx: StoreTransaction, { accountId, visitor, at }: Owner): Promise<void> {
  await stopRemoval(trx, { accountId, visitor, at });
}

/** Asks every browser for the second step again. */
export async function forgetRememberedDevices(trx: StoreTransaction, { accountId, visitor, at }: Owner): Promise<void> {
  if ((await forgetRemembered(trx, accountId)) === 0) return;
  await recordActivity(trx, { accountId, at, kind: 'remembered_devices_forgotten', visitor });
}

/** Creates ten recovery codes and voids earlier ones. Only their keyed hashes are stored. Lock the account's row before. */
async function makeRecoveryCodes(
  { secrets }: Pick<Service, 'secrets'>,
  trx: StoreTransaction,
  { accountId, sessionId, at }: { accountId: string; sessionId: string; at: number },
): Promise<RecoveryCodes> {
  const codes = newRecoveryCodes();
  const key = randomBytes(32);
  const macs = codes.map((code) => macOfRecoveryCode(key, accountId, code));
  await replaceRecoveryCodes(trx, { accountId, sessionId, key: secrets.seal(key), macs, at });
  return { recovery_codes: codes, recovery_codes_made_at: iso(at) };
}

/** How the owner of an account signs in. */
export async function readSecurity(
  service: Service,
  account: AccountsTable,
): Promise<ResponseBody<typeof contract.readSecurity>> {
  const { store, config, now } = service;
  const { id: accountId, password_hash } = account;
  const methods = await signInMethodsOf(service, account, { password: isPassword(password_hash) });
  return {
    ...methods,
    recovery_codes_left: await countRecoveryCodes(store, accountId),
    recovery_codes_made_at: isoOrNull(await recoveryCodesMadeAt(store, accountId)),
    remembered_devices: await countRemembered(store, { accountId, now: now() }),
    removal_at: isoOrNull(await removalDueAt(store, accountId)),
    second_step_missing: config.SECOND_STEP === 'required' && !methods.authenticator,
    email_pending: (await pendingEmailChange(store, { accountId, now: now() }))?.email ?? null,
  };
}
