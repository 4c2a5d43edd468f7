import { enqueueBatched, enqueueCapped } from '../outbox/delivery/batch-notices.ts';
import { enqueueEmail } from '../outbox/enqueue-email.ts';
import type { Service } from '../server/service.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import { deviceName } from '../store/browser-names.ts';
import type { StoreTransaction } from '../store/database.ts';
import type { Visitor } from '../store/visitor.ts';

interface OwnersNotice {
  readonly account: AccountsTable;
  readonly at: number;
}

/**
 * Notifies the owner of a sign-in on a device that is new to the account. Never emails an unproven address: a stranger
 * who entered it could have us fill its owner's mailbox.
 */
async function notifyNewDevice(
  { geoip }: Pick<Service, 'geoip'>,
  trx: StoreTransaction,
  { account, visitor, at }: OwnersNotice & { visitor: Visitor },
): Promise<void> {
  if (account.email_proven_at === null || account.mail_new_device === 0) return;
  const place = geoip.of(visitor.ip, account.locale);
  const item = { device: deviceName(visitor.userAgent), ip: visitor.ip, place, when: at };
  await enqueueBatched(trx, { notice: 'new_device', item, account, at });
}

interface NoticedEntry extends OwnersNotice {
  readonly visitor: Visitor;
  /** Admission removed the entries made before the address was proven. */
  readonly isCleared: boolean;
  /** The owner gets an email about this browser. */
  readonly isNewDevice: boolean;
}

/** Notifies the owner of what a sign-in brought about. */
export async function notifyOfEntry(
  service: Pick<Service, 'geoip'>,
  trx: StoreTransaction,
  { account, visitor, isCleared, isNewDevice, at }: NoticedEntry,
): Promise<void> {
  if (isCleared) {
    // It explains how to set a password. The first proof is what clears an account.
    const proven = { ...account, name: '', email_proven_at: at };
    await enqueueEmail(trx, { notice: 'account_cleared', params: {}, account: proven, at });
  }
  if (account.delete_at !== null) await enqueueCapped(trx, { notice: 'deletion_canceled', params: {}, account, at });
  if (isNewDevice) await notifyNewDevice(service, trx, { account, visitor, at });
}
