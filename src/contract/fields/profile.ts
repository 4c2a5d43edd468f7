import * as z from 'zod/mini';
import { inn, organization } from './fields.ts';

/**
 * The optional texts of an account, each a column of that name. Reading, changing, importing, exporting and showing an account
 * follow from this list.
 */
export const profileFields = { organization, inn } as const;

export type ProfileField = keyof typeof profileFields;

/** As an account stores them. */
export type Profile = { [Field in ProfileField]: string | null };

const names = Object.keys(profileFields) as ProfileField[];

const profileWith = <Value>(make: (name: ProfileField) => Value) =>
  Object.fromEntries(names.map((name) => [name, make(name)])) as { [Field in ProfileField]: Value };

/** The schemas of what an account's owner reads. */
export const profileDetails = profileWith(() => z.nullable(z.string()));

/** The profile among other values; null for what is absent or blank. */
export const profileIn = (values: Readonly<Partial<Record<ProfileField, string | null | undefined>>>): Profile =>
  profileWith((name) => values[name] ?? null);

/** Those that a change names: a blank one is there without a value, and becomes null. */
export const profileChanges = (changes: Parameters<typeof profileIn>[0]): Partial<Profile> =>
  Object.fromEntries(Object.entries(profileIn(changes)).filter(([name]) => Object.hasOwn(changes, name)));
