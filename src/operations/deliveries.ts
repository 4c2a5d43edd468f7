import { noticesWith } from '../outbox/notices.ts';
import { accountByAddressOrId } from '../store/accounts/find-accounts.ts';
import { requeueEmails } from '../store/emails/outbox-review.ts';
import { unsuppressAddress } from '../store/emails/suppression-list.ts';
import { retryDeliveries } from '../store/webhooks/deliveries.ts';
import { enableReceiver as enable } from '../store/webhooks/event-types.ts';
import { audit, masked, type Operation } from './operation.ts';

/** Requeues emails that were given up or wait for their next attempt. Returns the ids of the requeued ones. */
export const retryEmails = ({ store, ...operation }: Operation, ids: readonly string[] | 'all'): Promise<string[]> =>
  store.transaction().execute(async (trx) => {
    const [shortLived, withResetLink] = [noticesWith('shortLived'), noticesWith('hasResetLink')];
    const retried = await requeueEmails(trx, { ids, shortLived, withResetLink, now: operation.now });
    const subject = ids === 'all' ? `all: ${retried.length}` : retried.join(' ');
    if (retried.length > 0) await audit(trx, operation, { action: 'emails_retried', subject });
    return retried;
  });

/** Makes webhooks due now that were given up or wait for their next attempt. Returns their ids. */
export const retryWebhooks = ({ store, ...operation }: Operation, ids: readonly string[] | 'all'): Promise<string[]> =>
  store.transaction().execute(async (trx) => {
    const retried = await retryDeliveries(trx, { ids, now: operation.now });
    const subject = ids === 'all' ? `all: ${retried.length}` : retried.join(' ');
    if (retried.length > 0) await audit(trx, operation, { action: 'webhooks_retried', subject });
    return retried;
  });

interface DisabledReceiver {
  readonly id: string;
  /** The host of its URL; the rest may contain a secret. */
  readonly host: string;
}

/** Enables a receiver that responded 410 Gone; false if it was not disabled. */
export const enableReceiver = ({ store, ...operation }: Operation, { id, host }: DisabledReceiver): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const enabled = await enable(trx, id);
    if (enabled) await audit(trx, operation, { action: 'webhooks_enabled', subject: host });
    return enabled;
  });

/** Removes an address, or the address of an account id, from the suppression list; false if it is not on it. */
export const allowAddressAgain = ({ store, ...operation }: Operation, who: string): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const account = await accountByAddressOrId(trx, who);
    const address = who.includes('@') ? who : account?.email;
    if (address === undefined || !(await unsuppressAddress(trx, address))) return false;
    const accountId = account && { accountId: account.id };
    await audit(trx, operation, { action: 'address_allowed', ...accountId, subject: masked(address) });
    return true;
  });
