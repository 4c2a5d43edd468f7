import { confirmEmail as contract } from '../../../contract/account.ts';
import { refuse } from '../../../contract/refuse.ts';
import { isEmailProof } from '../../../security/email-proofs.ts';
import type { Service } from '../../../server/service.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import { proveEmail } from '../../../store/accounts/accounts.ts';
import type { StoreTransaction } from '../../../store/database.ts';

/**
 * Records that the signed-in user reads the account's email. The link alone would prove nothing: if a stranger entered
 * the address, its owner or their mail scanner may also open the link.
 */
export async function confirmEmail(
  { keyring }: Service,
  trx: StoreTransaction,
  { account, accountId, at, hash }: Owner & { readonly hash: string },
): Promise<void> {
  // The link proves only the address that it was sent to, and the account may have another one by now.
  if (!isEmailProof(keyring.emailProofs, hash, { accountId, email: account.email }))
    throw refuse(contract, 'confirmation_link_expired');
  await proveEmail(trx, { accountId, at });
}
