import { holdSignedIn } from '../../../access/hold-signed-in.ts';
import { confirmEmail as contract } from '../../../contract/account.ts';
import { refuse } from '../../../contract/refuse.ts';
import { isEmailProof } from '../../../security/email-proofs.ts';
import type { Service } from '../../../server/service.ts';
import { type AccountsTable, proveEmail } from '../../../store/accounts/accounts.ts';

interface Link {
  readonly account: AccountsTable;
  readonly sessionId: string;
  readonly hash: string;
}

/**
 * Records that the signed-in user reads the account's email. The link alone would prove nothing: if a stranger entered
 * the address, its owner or their mail scanner may also open the link.
 */
export async function confirmEmail(service: Service, { account, sessionId, hash }: Link): Promise<void> {
  const { store, keyring, now } = service;
  const refuseUnlessProof = ({ id, email }: AccountsTable) => {
    if (!isEmailProof(keyring.emailProofs, hash, { accountId: id, email }))
      throw refuse(contract, 'confirmation_link_expired');
  };
  // A wrong link costs no transaction.
  refuseUnlessProof(account);
  await store.transaction().execute(async (trx) => {
    const at = now();
    // The address may have changed meanwhile: the link proves only the address that it was sent to.
    refuseUnlessProof(await holdSignedIn(trx, { endpoint: contract, accountId: account.id, sessionId, now: at }));
    await proveEmail(trx, { accountId: account.id, at });
  });
}
