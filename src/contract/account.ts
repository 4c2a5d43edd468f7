import * as z from 'zod/mini';
import { endpoint, named } from './endpoint.ts';
import { inn, locale, organization } from './fields/fields.ts';

/**
 * The optional texts of an account, each in a column of that name. The code that reads, changes, imports, exports and
 * shows an account derives from this list.
 */
export const profileFields = { organization, inn } as const;

export type ProfileField = keyof typeof profileFields;

export type Profile = { [Field in ProfileField]: string | null };

const names = Object.keys(profileFields) as ProfileField[];

const profileWith = <Value>(make: (name: ProfileField) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as { [Field in ProfileField]: Value };

/** Schemas of the profile that an account's owner reads. */
export const profileDetails = profileWith(() => z.nullable(z.string()));

/** Picks the profile from other values; null for absent or blank fields. */
export const profileIn = (values: Readonly<Partial<Record<ProfileField, string | null | undefined>>>): Profile =>
  profileWith((name) => values[name] ?? null);

/** The fields that a change includes; a blank one becomes null. */
export const profileChanges = (changes: Parameters<typeof profileIn>[0]): Partial<Profile> =>
  Object.fromEntries(Object.entries(profileIn(changes)).filter(([name]) => Object.hasOwn(changes, name)));

/** What people consent to. */
export const consentKinds = ['personal_data', 'offers', 'terms'] as const;

export type ConsentKind = (typeof consentKinds)[number];

export const consentGiven = named(
  'Consent',
  z.object({
    kind: z.enum(consentKinds),
    given: z.boolean(),
    version: z.number(),
    document: z.nullable(z.string()),
    locale: z.string(),
    at: z.string(),
  }),
);

/** An account, as its owner sees it. */
export const accountDetails = named(
  'Account',
  z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    email_confirmed: z.boolean(),
    email_unreachable: z.boolean(),
    phone: z.string(),
    phone_written: z.string(),
    phone_confirmed: z.boolean(),
    ...profileDetails,
    locale,
    time_zone: z.nullable(z.string()),
    created_at: z.string(),
    consents: z.array(consentGiven),
    mail_new_device: z.boolean(),
    unread_notifications: z.number(),
    open_incidents: z.number(),
    password_changed_at: z.string(),
  }),
);

/** The signed-in user's account. */
export const readAccount = endpoint({
  route: 'GET /account',
  summary: 'Read the signed-in user’s account',
  auth: 'bearer',
  response: accountDetails,
});

/** Takes the secret from the link in the first email: it proves that the signed-in user reads the account's email. */
export const confirmEmail = endpoint({
  summary: 'Confirm the account’s email address with the link in its first email',
  route: 'POST /account/email/confirm',
  auth: 'bearer',
  body: z.object({ hash: z.catch(z.string(), '') }),
  failures: ['confirmation_link_expired'],
});
