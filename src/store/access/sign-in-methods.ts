import type { SignInMethods } from '../../contract/sign-in-methods.ts';
import type { AccountsTable } from '../accounts/accounts.ts';
import type { Store } from '../database.ts';

interface Setting {
  /** Operators can switch the second step off: accounts keep theirs, and nobody needs it. */
  readonly config: { readonly SECOND_STEP: string };
}

/** Whether sign-ins to an account need a second step. */
export const needsSecondStep = (
  { config }: Setting,
  { second_step_at }: Pick<AccountsTable, 'second_step_at'>,
): boolean => config.SECOND_STEP !== 'off' && second_step_at !== null;

/** What an account can prove its owner with. `password`: whether it has one. */
export async function signInMethodsOf(
  { config }: Setting & { readonly store: Store },
  account: Pick<AccountsTable, 'id' | 'second_step_at'>,
  { password }: Pick<SignInMethods, 'password'>,
): Promise<SignInMethods> {
  return {
    password,
    authenticator: needsSecondStep({ config }, account),
    // Passkeys count here once they have their table.
    passkeys: 0,
  };
}
