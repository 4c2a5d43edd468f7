import * as z from 'zod/mini';
import { endpoint } from '../../../contract/endpoint.ts';
import { locale } from '../../../contract/fields/fields.ts';
import { ownId } from '../../../contract/own-id.ts';

/** In which language places are told; English where it is none of ours. */
const inLanguage = { locale: z.catch(z.optional(locale), undefined) };

const seen = {
  id: z.string(),
  /** Whether it is the one that asks. */
  current: z.boolean(),
  /** In words of ours such as "Firefox, Windows"; "–" (`unknownDevice`) where nobody knows. */
  device: z.string(),
  /** By the address, as far as the operator's database tells. */
  place: z.optional(z.string()),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  last_seen_at: z.string(),
};

export const listSessions = endpoint({
  method: 'GET',
  path: '/account/sessions',
  summary: 'List the sessions of whoever is signed in',
  auth: 'bearer',
  query: z.object(inLanguage),
  status: 200,
  answer: z.object({
    sessions: z.array(z.object({ ...seen, ip: z.string(), user_agent: z.string(), expires_at: z.string() })),
  }),
});

export const endSession = endpoint({
  method: 'DELETE',
  path: '/account/sessions/:id',
  summary: 'End a session of whoever is signed in',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 204,
  failures: ['not_found'],
});

export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/account/sessions',
  summary: 'End every session but the one that asks',
  auth: 'bearer',
  status: 204,
});

export const listDevices = endpoint({
  method: 'GET',
  path: '/account/devices',
  summary: 'List the browsers that are known to the account',
  auth: 'bearer',
  query: z.object(inLanguage),
  status: 200,
  answer: z.object({
    devices: z.array(z.object({ ...seen, ip: z.nullable(z.string()) })),
  }),
});

export const forgetDevice = endpoint({
  method: 'DELETE',
  path: '/account/devices/:id',
  summary: 'Forget a known browser: its next sign-in is a new device’s',
  auth: 'bearer',
  params: z.object({ id: ownId }),
  status: 204,
  failures: ['not_found'],
});

const mostLines = 100;
const usualLines = 20;

/** Of a line of the activity. */
const lineId = z.string().check(z.regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/));
const lines = z.pipe(z.string().check(z.regex(/^\d{1,3}$/)), z.transform(Number));

export const readActivity = endpoint({
  method: 'GET',
  path: '/account/activity',
  summary: 'Tell what happened to the account, the newest first',
  auth: 'bearer',
  query: z.object({
    ...inLanguage,
    /** The `next` of the page before. */
    before: z.catch(z.optional(lineId), undefined),
    limit: z.catch(z.pipe(lines, z.number().check(z.minimum(1), z.maximum(mostLines))), usualLines),
  }),
  status: 200,
  answer: z.object({
    records: z.array(
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
    /** For `before`; null when there is nothing older. */
    next: z.nullable(z.string()),
  }),
});
