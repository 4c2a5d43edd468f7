import type { Browser } from '../../access/admit.ts';
import { admit } from '../../access/admit.ts';
import { passwordProof, provePassword } from '../../access/prove-password.ts';
import { refuse, tooMuch } from '../../contract/failures.ts';
import type { AdmissionResult } from '../../contract/sign-in/admission.ts';
import { sha256 } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import { findSignInState, type SignInState } from '../../store/access/sign-in-lookup.ts';
import { type AccountsTable, emailKey, replacePasswordHash } from '../../store/accounts/accounts.ts';
import { login } from './sign-in.contract.ts';

export interface SignInRequest {
  readonly email: string;
  readonly password: string;
  readonly db_type?: string | undefined;
  readonly browser: Browser;
}

/**
 * Signs in with email and password. Refuses with `too_many_attempts`, `email_cannot_be_used` when an operator has locked
 * the account, or the code that `ACCOUNT_DISCLOSURE` permits for an unknown address or a wrong password.
 */
export async function signIn(service: Service, request: SignInRequest): Promise<AdmissionResult> {
  const { password, db_type: dbType, browser } = request;
  const found = await service.lookups.run({ from: browser.visitor }, () => lookUp(service, request));
  const { account, isKnown, lockout } = found;
  const about = { account: account?.id };
  const locked = (until: number) => tooMuch(login, 'too_many_attempts', { wait: until - service.now(), about });
  if (found.lockedUntil > 0) throw locked(found.lockedUntil);

  const wrong = () => refuse(login, wrongCode(service, account), { about });
  const guess = { from: browser.visitor, account, password, lockout, isKnown };
  const verdict = await provePassword(service, guess, async (proven) => {
    const proof = passwordProof({ method: 'password', account: proven, lockout, refusal: wrong });
    const admitted = await admit(service, { proof, browser, isKnown, dbType });
    await upgradeHash(service, proven, password);
    return admitted;
  });
  if (verdict.state === 'locked') throw locked(verdict.until);
  if (verdict.state === 'wrong') throw wrong();
  return verdict.result;
}

/** Finds the account, the device and the lockout of a request, in equal time for any address. */
function lookUp({ store, now }: Service, { email, browser: { deviceToken } }: SignInRequest): Promise<SignInState> {
  const deviceHash = deviceToken === undefined ? undefined : sha256(deviceToken);
  const key = emailKey(email);
  return findSignInState(store, { emailKey: key, emailHash: sha256(key), deviceHash, now: now() });
}

/** Replaces a hash that has outdated parameters while the password is available. */
async function upgradeHash(service: Service, account: AccountsTable, password: string): Promise<void> {
  if (!service.passwords.isOutdated(account.password_hash)) return;
  const to = await service.passwords.hash(password);
  await replacePasswordHash(service.store, { accountId: account.id, from: account.password_hash, to });
}

function wrongCode({ config }: Service, account: AccountsTable | undefined) {
  if (config.ACCOUNT_DISCLOSURE === 'uniform') return 'incorrect_login_or_password';
  return account ? 'incorrect_password' : 'account_not_found';
}
