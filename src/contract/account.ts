import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { locale } from './fields/fields.ts';
import { profileDetails } from './fields/profile.ts';

export const consentGiven = z.object({
  kind: z.enum(['personal_data', 'offers', 'terms']),
  given: z.boolean(),
  /** Of the words that were agreed to. */
  version: z.number(),
  /** Address of the document that was agreed to; an older node does not tell. */
  document: z.optional(z.nullable(z.string())),
  locale: z.string(),
  /** ISO 8601, UTC. */
  at: z.string(),
});

/** What an account's owner is told of it. */
export const accountDetails = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  /** Whether whoever has the account was shown to read its mail; an older node does not tell. */
  email_confirmed: z.optional(z.boolean()),
  /** Whether mails to it came back, so that none is sent there; an older node does not tell. */
  email_unreachable: z.optional(z.boolean()),
  /** E.164. */
  phone: z.string(),
  /** As people write it across borders; an older node does not tell. */
  phone_written: z.optional(z.string()),
  phone_confirmed: z.boolean(),
  ...profileDetails,
  locale,
  /** ISO 8601, UTC. */
  created_at: z.string(),
  consents: z.array(consentGiven),
  /** Whether sign-ins on new devices are told by mail. */
  mail_new_device: z.optional(z.boolean()),
});

/** The account of whoever is signed in. */
export const readAccount = endpoint({
  method: 'GET',
  path: '/account',
  summary: 'Tell the account of whoever is signed in',
  auth: 'bearer',
  status: 200,
  answer: accountDetails,
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
