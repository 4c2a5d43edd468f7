import { holdSignedIn } from '../../../access/hold-signed-in.ts';
import { notifyPasskeyRemoved } from '../../../access/passkeys/notify-passkeys.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { iso, isoOrNull } from '../../../contract/iso-time.ts';
import { refuse } from '../../../contract/refuse.ts';
import { enqueueCapped } from '../../../outbox/delivery/batch-notices.ts';
import { isPassword, noHash } from '../../../security/foreign/hashes.ts';
import { providerOf } from '../../../security/web-authn/providers.ts';
import type { Service } from '../../../server/service.ts';
import { knownUserHandle } from '../../../store/access/passkeys/passkey-users.ts';
import {
  countPasskeys,
  type PasskeysTable,
  passkeysOf,
  removePasskey as removeRow,
  renamePasskey as renameRow,
} from '../../../store/access/passkeys/passkeys.ts';
import { setPassword } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import type { Visitor } from '../../../store/visitor.ts';
import * as contract from '../passkeys.contract.ts';

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

interface SignedIn {
  readonly accountId: string;
  readonly sessionId: string;
}

export async function renamePasskey(
  { store, now }: Service,
  { id, name, ...signedIn }: SignedIn & { readonly id: string; readonly name: string },
): Promise<ResponseBody<typeof contract.renamePasskey>> {
  const endpoint = contract.renamePasskey;
  const renamed = await store.transaction().execute(async (trx) => {
    await holdSignedIn(trx, { endpoint, ...signedIn, now: now() });
    return renameRow(trx, { id, accountId: signedIn.accountId, name });
  });
  if (!renamed) throw refuse(endpoint, 'not_found');
  return describePasskey(renamed);
}

/** How many passkeys an account without a password must keep. */
const leastWithoutPassword = 1;
/** How many it needs before its password can be removed: one of them may be on a lost device. */
const leastToRemovePassword = 2;

/** Removes a passkey. Refuses with `last_way_in` if the account has neither another one nor a password. */
export async function removePasskey(
  service: Service,
  { id, accountId, sessionId, visitor }: SignedIn & { readonly id: string; readonly visitor: Visitor },
): Promise<void> {
  const endpoint = contract.removePasskey;
  const at = service.now();
  await service.store.transaction().execute(async (trx) => {
    // Holds the account, so that two requests cannot remove the last two passkeys together.
    const account = await holdSignedIn(trx, { endpoint, accountId, sessionId, now: at });
    const passkey = await removeRow(trx, { id, accountId });
    if (!passkey) throw refuse(endpoint, 'not_found');
    if (!isPassword(account.password_hash) && (await countPasskeys(trx, accountId)) < leastWithoutPassword)
      throw refuse(endpoint, 'last_way_in');
    await notifyPasskeyRemoved(service, trx, { account, passkey, visitor, at });
  });
  service.outbox.wake();
}

/** Removes the password of an account with at least two passkeys; a recovery sets one again. */
export async function removePassword(
  service: Service,
  { accountId, sessionId, visitor }: SignedIn & { readonly visitor: Visitor },
): Promise<void> {
  const endpoint = contract.removePassword;
  const at = service.now();
  await service.store.transaction().execute(async (trx) => {
    const account = await holdSignedIn(trx, { endpoint, accountId, sessionId, now: at });
    if ((await countPasskeys(trx, accountId)) < leastToRemovePassword) throw refuse(endpoint, 'last_way_in');
    // A client may repeat the request if the response was lost.
    if (!isPassword(account.password_hash)) return;
    await setPassword(trx, { accountId, hash: noHash, at });
    await recordActivity(trx, { accountId, at, kind: 'password_removed', visitor });
    await enqueueCapped(trx, { notice: 'password_removed', params: { when: at }, account, at });
  });
  service.outbox.wake();
}
