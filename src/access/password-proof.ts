import { attemptSucceeded } from '../store/access/lockouts.ts';
import { type AccountsTable, holdUnchanged } from '../store/accounts/accounts.ts';
import type { Proof } from './admission.ts';

interface VerifiedPassword {
  readonly method: Extract<Proof['method'], 'password' | 'repeated_registration'>;
  /** The account as it was when the password was verified. */
  readonly account: AccountsTable;
  readonly lockout: string;
  /** Creates the refusal for a request that lost the race with a password reset. */
  readonly refusal: () => Error;
}

/** Proof by a password that `provePassword` verified. Resets its lockout; void if the password changed meanwhile. */
export const passwordProof = ({ method, account, lockout, refusal }: VerifiedPassword): Proof => ({
  method,
  async redeem(trx) {
    const unchanged = await holdUnchanged(trx, account);
    // The reset ended every session, so this one must not begin.
    if (!unchanged) throw refusal();
    await attemptSucceeded(trx, lockout);
    return { ...account, ...unchanged };
  },
});
