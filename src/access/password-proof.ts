import { attemptSucceeded } from '../store/access/lockouts.ts';
import { type AccountsTable, holdUnchanged } from '../store/accounts/accounts.ts';
import type { Proof } from './admit.ts';

interface VerifiedPassword {
  readonly method: Extract<Proof['method'], 'password' | 'repeated_registration'>;
  /** As it was when the password was verified. */
  readonly account: AccountsTable;
  readonly lockout: string;
  /** What the request is refused with when a reset was quicker. */
  readonly refusal: () => Error;
}

/** The proof by a password that `provePassword` verified. Resets its lockout; void if the password changed meanwhile. */
export const passwordProof = ({ method, account, lockout, refusal }: VerifiedPassword): Proof => ({
  method,
  async redeem(trx) {
    const unchanged = await holdUnchanged(trx, account);
    // The reset has ended every session and must not leave this one.
    if (!unchanged) throw refusal();
    // mutation: attempt-stays-pending
    await attemptSucceeded(trx, lockout);
    return { ...account, ...unchanged };
  },
});
