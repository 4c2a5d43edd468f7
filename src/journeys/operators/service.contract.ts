import * as z from 'zod/mini';
import { statisticsSeries } from '../../contract/console.ts';
import { endpoint, named, ownId, pageLimit } from '../../contract/endpoint.ts';
import { textLimit } from '../../contract/fields/field-sizes.ts';
import { between1And, promoCode } from '../../contract/fields/fields.ts';
import { cursor, listOf, pageOf, params, reason, retry } from './people.contract.ts';

/** Registrations with one promo code. */
const maxUses = 999_999_999;

const text = z.string();
const textOrNull = z.nullable(text);

const understood = { error: 'not_understood' } as const;

const list = { auth: 'operator', role: 'support', status: 200, fieldCodes: ['not_understood'] } as const;
const page = { cursor, limit: pageLimit({ usual: 50, max: 100 }) };
const act = { auth: 'operator', role: 'support' } as const;

export const listEmails = endpoint({
  ...list,
  route: 'GET /operators/emails',
  summary: 'List the emails of the last 30 days, or those of one person, the newest first',
  query: z.object({ account: z.optional(ownId), ...page }),
  response: pageOf('SentEmail', {
    id: text,
    account_id: textOrNull,
    notice: text,
    to: text,
    state: z.enum(['queued', 'sent', 'given_up']),
    created_at: text,
    sent_at: textOrNull,
    attempts: z.number(),
    last_error: textOrNull,
  }),
});

const retried = z.object({ retried: z.array(text) });

export const retryEmails = endpoint({
  ...act,
  route: 'POST /operators/emails/retry',
  summary: 'Send emails again that were given up, or now those that wait for their next attempt',
  body: retry,
  status: 200,
  response: retried,
});

export const listSuppressed = endpoint({
  ...list,
  route: 'GET /operators/suppressed',
  summary: 'List the addresses that get no more emails, the newest first',
  query: z.object(page),
  response: pageOf('SuppressedAddress', {
    account_id: textOrNull,
    email: text,
    at: text,
    reason: text,
    told_by: text,
    detail: text,
  }),
});

export const allowAddress = endpoint({
  ...act,
  route: 'POST /operators/suppressed/allow',
  summary: 'Send emails again to an address, or to that of an account',
  body: z.object({
    who: z
      .string({ error: 'required' })
      .check(z.minLength(1, { error: 'required' }), z.maxLength(textLimit - 1, { error: 'too_long' })),
    reason,
  }),
  status: 204,
});

export const listCalls = endpoint({
  ...list,
  route: 'GET /operators/calls',
  summary: 'Count the calls and messages of the last days by provider, method and country, and what they cost',
  query: z.object({ days: pageLimit({ usual: 7, max: 7 }) }),
  response: z.object({
    calls: z.array(
      named(
        'CallRate',
        z.object({
          provider: text,
          way: text,
          country: text,
          asked: z.number(),
          placed: z.number(),
          confirmed: z.number(),
          median_seconds: z.nullable(z.number()),
        }),
      ),
    ),
    budget: z.object({ spent: z.number(), of: z.number() }),
  }),
});

export const listPromoCodes = endpoint({
  ...list,
  route: 'GET /operators/promo-codes',
  summary: 'List the promo codes in their order',
  query: z.object(page),
  response: pageOf('PromoCode', {
    code: text,
    uses_left: z.nullable(z.number()),
    used: z.number(),
    valid_until: textOrNull,
    created_at: text,
  }),
});

export const readToday = endpoint({
  ...list,
  role: 'viewer',
  route: 'GET /operators/today',
  summary: 'Read what does not work as it should, and what to do; nothing if all is well',
  query: z.object({ again: z.optional(z.literal('true', understood)) }),
  response: z.object({
    examined_at: textOrNull,
    examining: z.boolean(),
    examined_node: textOrNull,
    items: z.array(
      named('Concern', z.object({ code: text, state: z.enum(['failed', 'warning']), params, text, see: textOrNull })),
    ),
  }),
});

const moment = z.optional(z.string(understood).check(z.maxLength(40, understood)));

export const readStatistics = endpoint({
  ...list,
  role: 'viewer',
  route: 'GET /operators/statistics',
  summary: 'Read what the service counted in the last 30 days, hour by hour or day by day',
  query: z.object({
    series: z.optional(z.enum(statisticsSeries, understood)),
    from: moment,
    to: moment,
    by: z._default(z.enum(['hour', 'day'], understood), 'day'),
  }),
  response: listOf('StatisticsPeriod', {
    series: z.enum(statisticsSeries),
    at: text,
    values: z.record(text, z.number()),
  }),
});

export const listNodes = endpoint({
  ...list,
  route: 'GET /operators/nodes',
  summary: 'List the nodes of the last day, the oldest first',
  response: listOf('Node', { name: text, version: text, started_at: text, seen_at: text }),
});

export const listSettings = endpoint({
  ...list,
  role: 'owner',
  route: 'GET /operators/settings',
  summary: 'List the settings in force on this node, without secrets',
  response: listOf('Setting', {
    name: text,
    value: textOrNull,
    from: z.enum(['environment', 'file', 'default']),
    secret: z.boolean(),
  }),
});

export const listSigningKeys = endpoint({
  ...list,
  role: 'owner',
  route: 'GET /operators/keys',
  summary: 'List the keys that sign sessions and proofs, the newest first',
  response: listOf('SigningKey', { id: text, purpose: text, created_at: text, verifies_until: textOrNull }),
});

export const addPromoCode = endpoint({
  ...act,
  route: 'POST /operators/promo-codes',
  summary: 'Add a promo code for registrations',
  body: z.object({
    code: promoCode,
    uses: z.optional(between1And(maxUses)),
    until: z.optional(z.string(understood).check(z.maxLength(40, understood))),
    reason,
  }),
  status: 204,
  failures: ['promo_code_exists'],
  fieldCodes: ['required', 'not_understood'],
});

export const listGroups = endpoint({
  ...list,
  route: 'GET /operators/groups',
  summary: 'List the groups with how many members they have',
  response: listOf('Group', { name: text, members: z.number() }),
});
