import { confirmEmail as contract } from '../../../contract/account.ts';
import { refuse } from '../../../contract/refuse.ts';
import { isEmailProof } from '../../../security/email-proofs.ts';
import type { Service } from '../../../server/service.ts';
import { findAccount, proveEmail } from '../../../store/accounts/accounts.ts';

interface Link {
  readonly accountId: string;
  readonly hash: string;
}

/**
 * Records that the signed-in user reads the account's email. The link alone would prove nothing: if a stranger entered
 * the address, its owner or their mail scanner may also open the link.
 */
export async function confirmEmail(service: Service, { accountId, hash }: Link): Promise<void> {
  const account = await findAccount(service.store, accountId);
  if (!account || !isEmailProof(service.keyring.emailProofs, hash, { accountId, email: account.email }))
    throw refuse(contract, 'confirmation_link_expired');
  await proveEmail(service.store, { accountId, at: service.now() });
}
