import { notifyPasskeyRemoved } from '../../access/passkeys.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/failures.ts';
import { iso, isoOrNull } from '../../contract/units.ts';
import { enqueueCapped } from '../../outbox/delivery/batch-notices.ts';
import { isPassword, noHash } from '../../security/imported-hashes.ts';
import { providerOf } from '../../security/web-authn/providers.ts';
import type { Service } from '../../server/service.ts';
import {
  countPasskeys,
  knownUserHandle,
  type PasskeysTable,
  passkeysOf,
  removePasskey as removeRow,
  renamePasskey as renameRow,
} from '../../store/access/passkeys.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import { setPassword } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import * as contract from './passkeys.contract.ts';

/** A passkey as its owner sees it. */
export const describePasskey = (passkey: PasskeysTable): ResponseBody<typeof contract.addPasskey> => ({
  id: passkey.id,
  name: passkey.name,
  provider: providerOf(passkey.aaguid),
  synced: passkey.backed_up === 1,
  created_at: iso(passkey.created_at),
  last_used_at: isoOrNull(passkey.last_used_at),
});

export async function listPasskeys(
  { store, config }: Service,
  accountId: string,
): Promise<ResponseBody<typeof contract.listPasskeys>> {
  const [passkeys, userId] = await Promise.all([passkeysOf(store, accountId), knownUserHandle(store, accountId)]);
  const owner = userId !== undefined && config.relyingParty && { rp_id: config.relyingParty.id, user_id: userId };
  return { passkeys: passkeys.map(describePasskey), ...owner };
}

export async function renamePasskey(
  trx: StoreTransaction,
  { accountId, id, name }: { readonly accountId: string; readonly id: string; readonly name: string },
): Promise<ResponseBody<typeof contract.renamePasskey>> {
  const renamed = await renameRow(trx, { id, accountId, name });
  if (!renamed) throw refuse(contract.renamePasskey, 'not_found');
  return describePasskey(renamed);
}

/** How many passkeys an account without a password must keep. */
const leastWithoutPassword = 1;
/** How many it needs before its password can be removed: one of them may be on a lost device. */
const leastToRemovePassword = 2;

/** Removes a passkey. Refuses with `last_way_in` if the account has neither another one nor a password. */
export async function removePasskey(
  service: Service,
  trx: StoreTransaction,
  { account, accountId, visitor, at, id }: Owner & { readonly id: string },
): Promise<void> {
  const passkey = await removeRow(trx, { id, accountId });
  if (!passkey) throw refuse(contract.removePasskey, 'not_found');
  if (!isPassword(account.password_hash) && (await countPasskeys(trx, accountId)) < leastWithoutPassword)
    throw refuse(contract.removePasskey, 'last_way_in');
  await notifyPasskeyRemoved(service, trx, { account, passkey, visitor, at });
}

/** Removes the password of an account with at least two passkeys; a recovery sets one again. */
export async function removePassword(trx: StoreTransaction, { account, accountId, visitor, at }: Owner): Promise<void> {
  if ((await countPasskeys(trx, accountId)) < leastToRemovePassword)
    throw refuse(contract.removePassword, 'last_way_in');
  // A client may repeat the request if the response was lost.
  if (!isPassword(account.password_hash)) return;
  await setPassword(trx, { accountId, hash: noHash, at });
  await recordActivity(trx, { accountId, at, kind: 'password_removed', visitor });
  await enqueueCapped(trx, { notice: 'password_removed', params: { when: at }, account, at });
}
