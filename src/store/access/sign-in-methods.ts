import type { SignInMethods } from '../../contract/sign-in/sign-in-methods.ts';
import type { AccountsTable } from '../accounts/accounts.ts';
import type { Store } from '../database.ts';
import { countPasskeys } from './passkeys/passkeys.ts';

interface Setting {
  /** Operators can switch the second step off: accounts keep theirs, and sign-ins do not require it. */
  readonly config: { readonly SECOND_STEP: string };
}

interface PasskeySetting {
  /** Undefined if the service has no passkeys. */
  readonly config: { readonly relyingParty: object | undefined };
}

/** Whether sign-ins to an account need a second step. */
export const needsSecondStep = (
  { config }: Setting,
  { second_step_at }: Pick<AccountsTable, 'second_step_at'>,
): boolean => config.SECOND_STEP !== 'off' && second_step_at !== null;

/** The methods by which the owner of an account can prove their identity. `password`: whether it has one. */
export async function signInMethodsOf(
  { store, config }: Setting & PasskeySetting & { readonly store: Store },
  account: Pick<AccountsTable, 'id' | 'second_step_at'>,
  { password }: Pick<SignInMethods, 'password'>,
): Promise<SignInMethods> {
  return {
    password,
    authenticator: needsSecondStep({ config }, account),
    passkeys: config.relyingParty ? await countPasskeys(store, account.id) : 0,
  };
}
