import { enqueueCapped } from '../../outbox/delivery/batch-notices.ts';
import { deviceName } from '../../outbox/device-name.ts';
import type { Service } from '../../server/service.ts';
import type { PasskeysTable } from '../../store/access/passkeys/passkeys.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';

interface PasskeyEvent {
  readonly account: AccountsTable;
  readonly passkey: Pick<PasskeysTable, 'name'>;
  readonly visitor: Visitor;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

type NotifierDeps = Pick<Service, 'geoip'>;
type PasskeyNotice = 'passkey_added' | 'passkey_removed' | 'passkey_copied';

/** Records an event of a passkey, and emails its owner. */
const notifying =
  (notice: PasskeyNotice) =>
  async (
    { geoip }: NotifierDeps,
    trx: StoreTransaction,
    { account, passkey, visitor, at }: PasskeyEvent,
  ): Promise<void> => {
    await recordActivity(trx, { accountId: account.id, at, kind: notice, visitor });
    const place = geoip.of(visitor.ip, account.locale);
    const params = { passkey: passkey.name, device: deviceName(visitor.userAgent), ip: visitor.ip, place, when: at };
    await enqueueCapped(trx, { notice, params, account, at });
  };

export const notifyPasskeyAdded = notifying('passkey_added');
export const notifyPasskeyRemoved = notifying('passkey_removed');
/** The passkey's counter went back, so it may have been copied. */
export const notifyPasskeyCopied = notifying('passkey_copied');
