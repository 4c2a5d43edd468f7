import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { locale } from './fields.ts';

const consentGiven = z.object({
  kind: z.enum(['personal_data', 'offers']),
  given: z.boolean(),
  /** Of the words that were agreed to. */
  version: z.number(),
  locale: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
});

/** The account of whoever is signed in. */
export const readAccount = endpoint({
  method: 'GET',
  path: '/account',
  summary: 'Tell the account of whoever is signed in',
  auth: 'bearer',
  status: 200,
  answer: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    /** E.164. */
    phone: z.string(),
    phone_confirmed: z.boolean(),
    organization: z.nullable(z.string()),
    inn: z.nullable(z.string()),
    locale,
    /** ISO 8601, UTC. */
    created_at: z.string(),
    consents: z.array(consentGiven),
  }),
});

/** What the link of the first mail brings along: shows that whoever is signed in reads the account's mail. */
export const confirmEmail = endpoint({
  summary: 'Show that the account’s mail is read, by the link of the first one',
  method: 'POST',
  path: '/account/email/confirm',
  auth: 'bearer',
  body: z.object({ hash: z.catch(z.string(), '') }),
  status: 204,
  failures: ['confirmation_link_expired'],
});
