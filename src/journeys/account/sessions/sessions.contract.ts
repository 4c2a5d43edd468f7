import * as z from 'zod/mini';
import { endpoint, named, ownId, pageLimit, position } from '../../../contract/endpoint.ts';
import { locale } from '../../../contract/fields/fields.ts';

/** The language of place names; English if we do not support the requested one. */
const inLanguage = { locale: z.catch(z.optional(locale), undefined) };

export const listSessions = endpoint({
  route: 'GET /account/sessions',
  summary: 'List the signed-in user’s sessions',
  auth: 'bearer',
  query: z.object(inLanguage),
  response: z.object({
    sessions: z.array(
      named(
        'Session',
        z.object({
          id: z.string(),
          current: z.boolean(),
          device: z.string(),
          place: z.optional(z.string()),
          created_at: z.string(),
          last_seen_at: z.string(),
          ip: z.string(),
          user_agent: z.string(),
          expires_at: z.string(),
        }),
      ),
    ),
  }),
});

export const endSession = endpoint({
  route: 'DELETE /account/sessions/:id',
  summary: 'End one of the signed-in user’s sessions',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  failures: ['not_found'],
});

export const endOtherSessions = endpoint({
  route: 'DELETE /account/sessions',
  summary: 'End every session except the requesting one',
  auth: 'bearer',
});

export const readActivity = endpoint({
  route: 'GET /account/activity',
  summary: 'List the account’s activity, newest first',
  auth: 'bearer',
  query: z.object({
    ...inLanguage,
    before: z.optional(position),
    limit: pageLimit({ usual: 20, max: 100 }),
  }),
  response: z.object({
    records: z.array(
      named(
        'Activity',
        z.object({
          id: z.string(),
          at: z.string(),
          kind: z.string(),
          ip: z.string(),
          user_agent: z.string(),
          device: z.string(),
          place: z.optional(z.string()),
        }),
      ),
    ),
    next: z.nullable(z.string()),
  }),
});
