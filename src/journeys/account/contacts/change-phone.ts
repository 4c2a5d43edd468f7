import { refuseField } from '../../../contract/failures.ts';
import { readPhoneIn } from '../../../contract/fields/phone.ts';
import { enqueueCapped } from '../../../outbox/delivery/batch-notices.ts';
import { readConfirmation } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import { setPhone } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { findCall, type PhoneCallsTable, useConfirmation } from '../../../store/calls/phone-calls.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import * as contract from '../account.contract.ts';

interface PhoneChange {
  readonly typed: string;
  readonly confirmation: string | null | undefined;
}

/**
 * Sets another phone number, confirmed as at registration, and notifies the owner by email. A client may repeat a change
 * whose response was lost.
 */
export async function changePhone(
  service: Service,
  trx: StoreTransaction,
  { account, accountId, visitor, at, typed, confirmation }: Owner & PhoneChange,
): Promise<void> {
  const call = readCall(service, confirmation);
  const phone = readPhoneIn(typed, account.locale);
  if (!phone) throw refuseField(contract.changePhone, { field: 'phone', code: 'phone_invalid' });
  const used = call === undefined ? undefined : await useConfirmation(trx, { id: call, phone, now: at });
  if (call !== undefined && !used) {
    if (await hasChanged(trx, { account, phone, call })) return;
    throw unconfirmed();
  }
  await setPhone(trx, { accountId, phone, confirmedAt: used ? confirmedAtOf(used) : null });
  await recordActivity(trx, { accountId, at, kind: 'phone_changed', visitor });
  if (phone === account.phone) return;
  await enqueueCapped(trx, { notice: 'phone_changed', params: { when: at, digits: phone.slice(-2) }, account, at });
}

/** When the call confirmed the number. A confirmation by email does not confirm it. */
const confirmedAtOf = ({ way, confirmed_at }: PhoneCallsTable): number | null => (way === 'mail' ? null : confirmed_at);

interface MadeChange {
  readonly account: AccountsTable;
  readonly phone: string;
  /** The id of the confirmed call. */
  readonly call: string;
}

/** Whether the account already has the number as this call confirmed it: the first response was lost. */
async function hasChanged(trx: StoreTransaction, { account, phone, call: id }: MadeChange): Promise<boolean> {
  const call = await findCall(trx, id);
  if (!call || call.used_at === null || call.phone !== phone) return false;
  return account.phone === phone && account.phone_confirmed_at === confirmedAtOf(call);
}

/** The id of the confirmed call. Refuses a confirmation that is required but missing, or that we did not issue. */
function readCall({ keyring, config }: Service, confirmation: string | null | undefined): string | undefined {
  if (config.PHONE_CONFIRMATION === 'off') return undefined;
  if (!confirmation && config.PHONE_CONFIRMATION === 'optional') return undefined;
  const call = readConfirmation(keyring.phoneConfirmations, confirmation ?? '');
  if (call === undefined) throw unconfirmed();
  return call;
}

const unconfirmed = () =>
  refuseField(contract.changePhone, { field: 'phone_confirmation', code: 'phone_not_confirmed' });
