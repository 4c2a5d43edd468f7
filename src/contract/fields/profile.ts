import * as z from 'zod/mini';
import { inn, organization } from './fields.ts';

/**
 * The optional texts of an account, each in a column of that name. The code that reads, changes, imports, exports and
 * shows an account derives from this list.
 */
export const profileFields = { organization, inn } as const;

export type ProfileField = keyof typeof profileFields;

/** The stored fields of an account. */
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
