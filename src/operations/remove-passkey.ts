import { unknownDevice } from '../contract/devices.ts';
import { enqueueCapped } from '../outbox/delivery/batch-notices.ts';
import { type PasskeysTable, removePasskey as removeRow } from '../store/access/passkeys/passkeys.ts';
import { type AccountsTable, lockAccountRow } from '../store/accounts/accounts.ts';
import { recordActivity } from '../store/accounts/activity-log.ts';
import { audit, masked, type Operation, operatorVisit } from './operation.ts';

/**
 * Removes a passkey and notifies the owner, who gets back in by recovery if it was the last. Returns the passkey;
 * undefined if the account has none with this id.
 */
export const removePasskey = (
  { store, ...operation }: Operation,
  { account, id }: { readonly account: AccountsTable; readonly id: string },
): Promise<PasskeysTable | undefined> =>
  store.transaction().execute(async (trx) => {
    const { id: accountId, email } = account;
    const at = operation.now;
    await lockAccountRow(trx, accountId);
    const passkey = await removeRow(trx, { id, accountId });
    if (!passkey) return undefined;
    await audit(trx, operation, { action: 'passkey_removed', accountId, subject: masked(email) });
    await recordActivity(trx, { accountId, at, kind: 'passkey_removed', visitor: operatorVisit });
    const params = { passkey: passkey.name, device: unknownDevice, ip: operatorVisit.ip, when: at };
    await enqueueCapped(trx, { notice: 'passkey_removed', params, account, at });
    return passkey;
  });
