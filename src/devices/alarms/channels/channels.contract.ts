import * as z from 'zod/mini';
import { endpoint, named, ownId, type ResponseBody } from '../../../contract/endpoint.ts';
import { reported } from '../../../contract/fields/fields.ts';
import { alarmChannels, timedChannels } from '../../contract/alarm-channels.ts';

/** Minutes without an acknowledgment. */
const longestWait = 24 * 60;

/** ISO 8601, UTC. */
const time = z.string();

const channel = named(
  'AlarmChannel',
  z.object({
    channel: z.enum(alarmChannels),
    /** Null: not used. */
    after_minutes: z.nullable(z.number()),
    recipient: z.nullable(z.string()),
    broken: z.nullable(z.string()),
    broken_since: z.nullable(time),
  }),
);

export const listAlarmChannels = endpoint({
  route: 'GET /account/alarms/channels',
  summary: 'List the channels of alarms',
  auth: 'bearer',
  status: 200,
  response: z.object({ channels: z.array(channel) }),
});

export type AlarmChannels = ResponseBody<typeof listAlarmChannels>['channels'];

export const changeAlarmChannel = endpoint({
  route: 'PUT /account/alarms/channels',
  summary: 'Use a channel of alarms after some minutes without an acknowledgment, or no longer',
  auth: 'bearer',
  body: z.object({
    channel: z.enum(timedChannels, { error: 'not_understood' }),
    after_minutes: z.nullable(
      z.number({ error: 'not_understood' }).check(
        z.refine((count) => Number.isInteger(count) && count >= 0 && count <= longestWait, {
          error: 'not_understood',
        }),
      ),
    ),
  }),
  status: 200,
  response: z.object({ channels: z.array(channel) }),
  /** `not_found`: it has not been set up. */
  failures: ['not_found', 'too_many_requests'],
});

const longestUrl = 1000;
const webhookUrl = z.string({ error: 'required' }).check(
  z.minLength(1, { error: 'required' }),
  z.refine((text) => text.length <= longestUrl && URL.canParse(text), { error: 'url_invalid' }),
);
export const webhookForm = z.object({ url: webhookUrl });

export const setWebhook = endpoint({
  route: 'PUT /account/alarms/channels/webhook',
  summary: 'Send alarms to a URL, signed with a new secret',
  auth: 'bearer',
  body: webhookForm,
  status: 200,
  response: z.object({ secret: z.string() }),
  failures: ['too_many_requests'],
  fieldCodes: ['url_invalid'],
});

export const linkTelegram = endpoint({
  route: 'POST /account/alarms/channels/telegram',
  summary: 'Make a link that connects a chat in Telegram with alarms, once and within ten minutes',
  auth: 'bearer',
  status: 201,
  response: z.object({ link: z.string(), expires_at: time }),
  /** `not_found`: the operator has no bot. `try_again_later`: Telegram does not respond. */
  failures: ['not_found', 'too_many_requests', 'try_again_later'],
});

/** The page's form. */
export const channelForm = z.object({ channel_after: z.string() });

export const testAlarmChannel = endpoint({
  route: 'POST /account/alarms/channels/test',
  summary: 'Send a test alarm by one channel, and learn what its receiver or provider said',
  auth: 'bearer',
  body: z.object({ channel: z.enum(alarmChannels, { error: 'not_understood' }) }),
  status: 200,
  response: z.object({ state: z.enum(['sent', 'failed']), said: z.string() }),
  /** `not_found`: the channel cannot reach the owner. */
  failures: ['not_found', 'too_many_requests'],
});

export const readPush = endpoint({
  route: 'GET /account/push',
  summary: 'List the browsers that show notices although no page is open',
  auth: 'bearer',
  status: 200,
  response: z.object({
    /** Null if web push is off. */
    key: z.nullable(z.string()),
    browsers: z.array(z.object({ id: z.string(), device: z.string(), created_at: time, seen_at: time })),
  }),
});

/** Browsers renew it at each visit, because push services end subscriptions without notice. */
export const keepPush = endpoint({
  route: 'PUT /account/push',
  summary: 'Send notices to the browser that sends the request',
  auth: 'bearer',
  body: z.object({ endpoint: reported(1000), p256dh: reported(100), auth: reported(100) }),
  status: 200,
  response: z.object({ id: z.string() }),
  failures: ['too_many_requests'],
  fieldCodes: ['not_understood'],
});

export const forgetPush = endpoint({
  route: 'DELETE /account/push/:id',
  summary: 'Send no more notices to a browser',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 204,
  failures: ['not_found'],
});
