import { refuse, refuseField } from '../../contract/failures.ts';
import { iso } from '../../contract/units.ts';
import { randomSecret } from '../../security/macs.ts';
import { arePushKeys } from '../../security/web-push.ts';
import type { Service } from '../../server/service.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import { deviceName } from '../../store/browser-names.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { channelsOf, forgetChannel, setChannel } from '../store/alarm-messages.ts';
import { forgetPushSubscription, keepPushSubscription, pushSubscriptionsOf } from '../store/push-subscriptions.ts';
import * as contract from './push.contract.ts';

export const describePush = async ({ store, messengers }: Service, accountId: string) => ({
  key: messengers.webPush ? messengers.pushKey() : null,
  browsers: (await pushSubscriptionsOf(store, accountId)).map(({ id, browser, created_at, seen_at }) => ({
    id,
    device: browser,
    created_at: iso(created_at),
    seen_at: iso(seen_at),
  })),
});

interface Subscribing {
  readonly accountId: string;
  readonly sessionId: string;
  readonly at: number;
  readonly userAgent: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** Adds or renews the browser's subscription. Refuses an endpoint that is no public address. */
export async function keepPush(
  { messengers }: Pick<Service, 'messengers'>,
  trx: StoreTransaction,
  { accountId, sessionId, at, userAgent, endpoint, p256dh, auth }: Subscribing,
): Promise<{ id: string }> {
  const wrong = (field: string) => refuseField(contract.keepPush, { field, code: 'not_understood' });
  const url = URL.parse(endpoint);
  if (!url || !messengers.reach.allows(url)) throw wrong('endpoint');
  if (!arePushKeys({ p256dh, auth })) throw wrong('p256dh');
  const id = await keepPushSubscription(trx, {
    id: randomSecret(128),
    account_id: accountId,
    session_id: sessionId,
    ...{ endpoint: url.href, p256dh, auth },
    browser: deviceName(userAgent),
    created_at: at,
    seen_at: at,
  });
  await noteBrowsers(trx, { accountId, at });
  return { id };
}

/** Characters of the browsers in the timeline of an incident. */
const longestTarget = 200;

/** Alarms go to the browsers of the account at once, as long as it has any. */
async function noteBrowsers(trx: StoreTransaction, { accountId, at }: Pick<Owner, 'accountId' | 'at'>): Promise<void> {
  const key = { account_id: accountId, channel: 'push' } as const;
  const browsers = (await pushSubscriptionsOf(trx, accountId)).map(({ browser }) => browser);
  if (browsers.length === 0) return void (await forgetChannel(trx, { ...key, at }));
  const known = (await channelsOf(trx, accountId)).find(({ channel }) => channel === 'push');
  await setChannel(trx, {
    ...(known ?? { ...key, after_minutes: 0, set_at: 0, broken: null, broken_at: null }),
    target: browsers.join(' · ').slice(0, longestTarget),
  });
}

interface Forgetting extends Pick<Owner, 'accountId' | 'at'> {
  readonly id: string;
}

export async function forgetPush(trx: StoreTransaction, { id, accountId, at }: Forgetting): Promise<void> {
  if (!(await forgetPushSubscription(trx, { id, accountId }))) throw refuse(contract.forgetPush, 'not_found');
  await noteBrowsers(trx, { accountId, at });
}
