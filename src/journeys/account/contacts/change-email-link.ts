import { pathIn } from '../../../contract/languages.ts';
import { refuse } from '../../../contract/refuse.ts';
import type { Service } from '../../../server/service.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import { isUniqueViolation } from '../../../store/database-errors.ts';
import type * as contract from './change-email.contract.ts';

/** URL of the page that confirms or undoes a change. Its origin is the operator's setting, never a request header. */
export function linkTo(service: Service, { locale }: AccountsTable, query: Record<string, string>): string {
  const link = new URL(pathIn(locale, '/change-email/'), service.config.PUBLIC_URL);
  for (const [name, value] of Object.entries(query)) link.searchParams.set(name, value);
  return link.href;
}

/** Refuses with `account_exists` if another account took the address first. */
export const takenAs =
  (endpoint: typeof contract.changeEmail | typeof contract.undoEmailChange) => (error: unknown) => {
    throw isUniqueViolation(error) ? refuse(endpoint, 'account_exists') : error;
  };
