import * as z from 'zod/mini';
import { endpoint, named, ownId, pageLimit } from '../../contract/endpoint.ts';
import { textLimit } from '../../contract/fields/field-sizes.ts';
import { promoCode } from '../../contract/fields/fields.ts';
import { cursor, reason } from './people.contract.ts';

const text = z.string();
const textOrNull = z.nullable(text);

const understood = { error: 'not_understood' } as const;
const maxIds = 100;
const ids = z
  .array(z.string(understood).check(z.maxLength(100, understood)), understood)
  .check(z.minLength(1, understood), z.maxLength(maxIds, understood));

const retry = named('Retry', z.object({ ids, reason }));

const list = { method: 'GET', auth: 'operator', role: 'support', status: 200, fieldCodes: ['not_understood'] } as const;
const page = { cursor, limit: pageLimit({ usual: 50, max: 100 }) };
const act = { method: 'POST', auth: 'operator', role: 'support' } as const;

export const listEmails = endpoint({
  ...list,
  path: '/operators/emails',
  summary: 'List the emails of the last 30 days, or those of one person, the newest first',
  query: z.object({ account: z.optional(ownId), ...page }),
  response: z.object({
    items: z.array(
      named(
        'SentEmail',
        z.object({
          id: text,
          notice: text,
          to: text,
          state: z.enum(['queued', 'sent', 'given_up']),
          created_at: text,
          sent_at: textOrNull,
          attempts: z.number(),
          last_error: textOrNull,
        }),
      ),
    ),
    next: textOrNull,
  }),
});

const retried = z.object({ retried: z.array(text) });

export const retryEmails = endpoint({
  ...act,
  path: '/operators/emails/retry',
  summary: 'Send emails again that were given up, or now those that wait for their next attempt',
  body: retry,
  status: 200,
  response: retried,
});

export const listSuppressed = endpoint({
  ...list,
  path: '/operators/suppressed',
  summary: 'List the addresses that get no more emails, the newest first',
  query: z.object(page),
  response: z.object({
    items: z.array(
      named(
        'SuppressedAddress',
        z.object({
          account_id: textOrNull,
          email: text,
          at: text,
          reason: text,
          told_by: text,
          detail: text,
        }),
      ),
    ),
    next: textOrNull,
  }),
});

export const allowAddress = endpoint({
  ...act,
  path: '/operators/suppressed/allow',
  summary: 'Send emails again to an address, or to that of an account',
  body: z.object({
    who: z
      .string({ error: 'required' })
      .check(z.minLength(1, { error: 'required' }), z.maxLength(textLimit - 1, { error: 'too_long' })),
    reason,
  }),
  status: 204,
});

export const retryDeliveries = endpoint({
  ...act,
  path: '/operators/deliveries/retry',
  summary: 'Retry webhooks that were given up or that wait for their next attempt',
  body: retry,
  status: 200,
  response: retried,
});

export const addPromoCode = endpoint({
  ...act,
  path: '/operators/promo-codes',
  summary: 'Add a promo code for registrations',
  body: z.object({
    code: promoCode,
    uses: z.optional(z.int(understood).check(z.refine((count) => count >= 1 && count <= 999_999_999, understood))),
    until: z.optional(z.string(understood).check(z.maxLength(40, understood))),
    reason,
  }),
  status: 204,
  failures: ['promo_code_exists'],
  fieldCodes: ['required', 'not_understood'],
});

export const listGroups = endpoint({
  ...list,
  path: '/operators/groups',
  summary: 'List the groups with how many members they have',
  response: z.object({ items: z.array(named('Group', z.object({ name: text, members: z.number() }))) }),
});
