import { pathIn } from '../contract/languages.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';

/** The address of the page behind a reset link: its origin is the operator's setting, never a request's header. */
export function resetAddress(
  publicUrl: string,
  account: Pick<AccountsTable, 'email' | 'locale'>,
  secret: string,
): string {
  const address = new URL(pathIn(account.locale, '/reset-password/'), publicUrl);
  address.searchParams.set('email', account.email);
  address.searchParams.set('hash', secret);
  return address.href;
}
