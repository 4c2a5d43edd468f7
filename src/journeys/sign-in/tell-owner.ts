import { gather } from '../../outbox/delivery/gather.ts';
import { deviceName } from '../../outbox/device-name.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { Visitor } from '../../store/visitor.ts';

interface Told {
  readonly account: Pick<
    AccountsTable,
    'id' | 'email' | 'email_proven_at' | 'mail_new_device' | 'name' | 'locale' | 'time_zone'
  >;
  readonly visitor: Visitor;
  /** Where that is, in the owner's language. */
  readonly place: string | undefined;
  readonly at: number;
}

/**
 * Tells an account's owner of a sign-in on a device that it has not seen: they know whether that is right. Not where
 * anybody may have entered the address, who could otherwise have us fill a stranger's mailbox.
 */
export async function tellOwner(trx: StoreTransaction, { account, visitor, place, at }: Told): Promise<void> {
  if (account.email_proven_at === null || account.mail_new_device === 0) return;
  const item = { device: deviceName(visitor.userAgent), ip: visitor.ip, place, when: at };
  await gather(trx, { notice: 'new_device', item, account, at });
}
