import { refuse, refuseField } from '../../../contract/failures.ts';
import { iso, minutes, seconds } from '../../../contract/units.ts';
import { randomSecret } from '../../../security/macs.ts';
import { arePushKeys } from '../../../security/web-push.ts';
import type { Service } from '../../../server/service.ts';
import type { Owner } from '../../../store/access/session-owner.ts';
import { deviceName } from '../../../store/browser-names.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { channelsOf, forgetChannel, setChannel } from '../../store/alarm-messages.ts';
import { forgetPushSubscription, keepPushSubscription, pushSubscriptionsOf } from '../../store/push-subscriptions.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, Sending } from './channel.ts';
import * as contract from './channels.contract.ts';
import { describeMessage } from './words.ts';

/** Notices in the browsers that subscribed, which the target names. A later one about an incident replaces an older one. */
export const push: AlarmChannel = {
  name: 'push',
  heedsQuietHours: true,
  room: 8,
  isOffered: ({ messengers }) => messengers.webPush !== undefined,
  recipient: ({ target }) => (target === '' ? undefined : target),
  send: sendToBrowsers,
};

/** Unless the push service says how long. */
const retryAfter = minutes(1);

/** One browser that accepts it is enough; those that are gone are forgotten. */
async function sendToBrowsers(service: ChannelService, message: AlarmMessage, signal: AbortSignal): Promise<Sending> {
  const { store, messengers } = service;
  const { account } = message;
  const send = messengers.webPush;
  if (!send) return { state: 'failed', error: 'the operator has no https origin and no SUPPORT_EMAIL' };
  const notice = await noticeOf(service, message);
  const browsers = await pushSubscriptionsOf(store, account.id);
  const outcomes = await Promise.all(browsers.map((browser) => send(browser, notice, signal)));
  for (const [at, { id }] of browsers.entries())
    if (outcomes[at]?.state === 'gone') await forgetPushSubscription(store, { id, accountId: account.id });
  if (outcomes.some(({ state }) => state === 'accepted'))
    return { state: 'sent', said: outcomes.map(({ status, said }) => `${status ?? ''} ${said}`.trim()).join(', ') };
  const later = outcomes.find(({ state }) => state === 'later');
  const { status, said } = later ??
    outcomes.find(({ state }) => state === 'refused') ?? { status: undefined, said: '' };
  if (later) {
    const after = later.retryAfter === undefined ? retryAfter : seconds(later.retryAfter);
    return { state: 'later', after, error: `${status ?? ''} ${said}`.trim() };
  }
  return {
    state: 'failed',
    error: status ? `${status} ${said}`.trim() : 'no browser has this subscription any longer',
  };
}

async function noticeOf(service: ChannelService, message: AlarmMessage) {
  const { language, title, lines, path } = await describeMessage(service, message);
  const topic = message.report ? message.report.incident.id.replaceAll('-', '').slice(-32) : 'test';
  return { title, body: lines.join('\n'), path, topic, lang: language.tag, dir: language.dir };
}

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
