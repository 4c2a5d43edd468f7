import * as z from 'zod/mini';
import { endpoint, named, ownId, pageLimit } from '../../contract/endpoint.ts';
import { eventTypes, isReceiverUrl } from '../../contract/webhook-events.ts';
import { cursor, listOf, pageOf, reason, retry } from './people.contract.ts';

const text = z.string();
const textOrNull = z.nullable(text);
const understood = { error: 'not_understood' } as const;

const of = { params: z.object({ id: ownId }) } as const;
const list = { auth: 'operator', role: 'support', status: 200 } as const;
const act = { auth: 'operator', role: 'support' } as const;
/** Whoever adds one can read what happens to everyone, so it needs an owner. */
const change = { ...of, auth: 'operator', role: 'owner', body: z.object({ reason }) } as const;

export const listDeliveries = endpoint({
  ...list,
  route: 'GET /operators/deliveries',
  summary: 'List the webhooks of the last days, the newest first',
  query: z.object({ cursor, limit: pageLimit({ usual: 50, max: 100 }) }),
  fieldCodes: ['not_understood'],
  response: pageOf('WebhookDelivery', {
    id: text,
    state: z.enum(['queued', 'delivered', 'given_up']),
    type: text,
    account: text,
    receiver: text,
    at: text,
    due_at: text,
    delivered_at: textOrNull,
    attempts: z.number(),
    last_error: textOrNull,
  }),
});

export const retryDeliveries = endpoint({
  ...act,
  route: 'POST /operators/deliveries/retry',
  summary: 'Retry webhooks that were given up or that wait for their next attempt',
  body: retry,
  status: 200,
  response: z.object({ retried: z.array(text) }),
});

/** From an operator who lost access or the role soon after. */
export const doubt = z.nullable(named('Doubt', z.object({ by: text, name: textOrNull, since: text })));

export const listWebhooks = endpoint({
  ...list,
  route: 'GET /operators/webhooks',
  summary: 'List the receivers of events, without their secrets',
  response: listOf('WebhookReceiver', {
    id: text,
    receiver: text,
    events: z.array(text),
    secrets: z.number(),
    from_file: z.boolean(),
    disabled_at: textOrNull,
    doubt,
  }),
});

const secret = named('NewWebhookSecret', z.object({ id: text, secret: text }));

const events = z
  .array(z.enum(eventTypes, understood), { error: 'required' })
  .check(z.minLength(1, { error: 'required' }));

export const addWebhook = endpoint({
  route: 'POST /operators/webhooks',
  auth: 'operator',
  role: 'owner',
  summary: 'Add a receiver of events; only this response contains its secret',
  body: z.object({
    url: z
      .string({ error: 'required' })
      .check(z.minLength(1, { error: 'required' }), z.refine(isReceiverUrl, { error: 'url_invalid' })),
    events,
    reason,
  }),
  status: 201,
  response: secret,
  failures: ['webhook_exists', 'webhook_limit_reached'],
});

export const changeWebhook = endpoint({
  ...change,
  route: 'PATCH /operators/webhooks/:id',
  summary: 'Change which events a receiver gets from now on',
  body: z.object({ events, reason }),
  status: 204,
  failures: ['from_file'],
});

export const removeWebhook = endpoint({
  ...change,
  route: 'DELETE /operators/webhooks/:id',
  summary: 'Remove a receiver, with the events that wait for it',
  status: 204,
  failures: ['from_file'],
});

export const addWebhookSecret = endpoint({
  ...change,
  route: 'POST /operators/webhooks/:id/secrets',
  summary: 'Add a second secret, which signs beside the first; only this response contains it',
  status: 201,
  response: secret,
  failures: ['from_file', 'secret_limit_reached'],
});

export const dropWebhookSecret = endpoint({
  ...change,
  route: 'DELETE /operators/webhooks/:id/secrets/older',
  summary: 'End the older of two secrets',
  status: 204,
  failures: ['from_file'],
});

export const testWebhook = endpoint({
  ...change,
  route: 'POST /operators/webhooks/:id/test',
  summary: 'Send the event `webhook.test` to a receiver now, once',
  status: 200,
  response: z.object({ delivered: z.boolean(), error: textOrNull }),
  failures: ['too_many_requests'],
});

export const enableWebhook = endpoint({
  ...of,
  ...act,
  route: 'POST /operators/webhooks/:id/enable',
  summary: 'Enable a receiver that responded 410 Gone or is in doubt, and send its waiting webhooks',
  body: z.object({ reason }),
  status: 204,
});
