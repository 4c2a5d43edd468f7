import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { accountCalled, accountFormerlyAt } from '../../store/accounts/find-accounts.ts';
import type { Store } from '../../store/database.ts';
import { type CommandResult, UsageError } from '../command.ts';

interface AccountCommandInput {
  readonly store: Store;
  readonly command: string;
  readonly positionals: readonly string[];
  /** Whether a former address also identifies the account. */
  readonly alsoFormer?: boolean;
}

/** Runs work on the account that the command line identifies; a failed result if there is no such account. */
export async function withAccount(
  { store, command, positionals, alsoFormer = false }: AccountCommandInput,
  work: (account: AccountsTable) => Promise<CommandResult>,
): Promise<CommandResult> {
  const [who, ...more] = positionals;
  if (!who || more.length > 0) throw new UsageError(`${command} WHO: one address or account id`);
  const account =
    (await accountCalled(store, who)) ??
    (alsoFormer && who.includes('@') ? await accountFormerlyAt(store, who) : undefined);
  return account ? work(account) : { text: `${who}: no such account`, data: { found: false }, failed: true };
}
