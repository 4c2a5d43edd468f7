import { minutes, seconds } from '../../../contract/units.ts';
import { forgetPushSubscription, pushSubscriptionsOf } from '../../store/push-subscriptions.ts';
import type { AlarmChannel, AlarmMessage, ChannelService, Sending } from './channel.ts';
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
