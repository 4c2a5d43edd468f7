import { holdSignedIn } from '../../../access/hold-signed-in.ts';
import { readPhoneIn } from '../../../contract/fields/phone.ts';
import { refuseField } from '../../../contract/refuse.ts';
import { enqueueCapped } from '../../../outbox/delivery/batch-notices.ts';
import { readConfirmation } from '../../../security/phone-confirmations.ts';
import type { Service } from '../../../server/service.ts';
import { setPhone } from '../../../store/accounts/account-fields.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { useConfirmation } from '../../../store/calls/phone-calls.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { changePhone as contract } from '../account.contract.ts';

interface PhoneChangeRequest {
  readonly accountId: string;
  readonly sessionId: string;
  readonly typed: string;
  readonly confirmation: string | null | undefined;
  readonly visitor: Visitor;
}

/** Sets another phone number, confirmed as at registration, and notifies the owner by email. */
export async function changePhone(
  service: Service,
  { accountId, sessionId, typed, confirmation, visitor }: PhoneChangeRequest,
): Promise<void> {
  const call = readCall(service, confirmation);
  const now = service.now();
  await service.store.transaction().execute(async (trx) => {
    const account = await holdSignedIn(trx, { endpoint: contract, accountId, sessionId, now });
    const phone = readPhoneIn(typed, account.locale);
    if (!phone) throw refuseField(contract, { field: 'phone', code: 'phone_invalid' });
    const used = call === undefined ? undefined : await useConfirmation(trx, { id: call, phone, now });
    if (call !== undefined && !used) throw unconfirmed();
    // Confirmation by email proves nothing about the number.
    const confirmedAt = used && used.way !== 'mail' ? used.confirmed_at : null;
    await setPhone(trx, { accountId, phone, confirmedAt });
    await recordActivity(trx, { accountId, at: now, kind: 'phone_changed', visitor });
    if (phone === account.phone) return;
    await enqueueCapped(trx, {
      notice: 'phone_changed',
      params: { when: now, digits: phone.slice(-2) },
      account,
      at: now,
    });
  });
  service.outbox.wake();
}

/** The id of the confirmed call. Refuses a confirmation that is required but missing, or that we did not issue. */
function readCall({ keyring, config }: Service, confirmation: string | null | undefined): string | undefined {
  if (config.PHONE_CONFIRMATION === 'off') return undefined;
  if (!confirmation && config.PHONE_CONFIRMATION === 'optional') return undefined;
  const call = readConfirmation(keyring.phoneConfirmations, confirmation ?? '');
  if (call === undefined) throw unconfirmed();
  return call;
}

const unconfirmed = () => refuseField(contract, { field: 'phone_confirmation', code: 'phone_not_confirmed' });
