import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { profileFields, profileIn } from '../../contract/account.ts';
import { email, name } from '../../contract/fields/fields.ts';
import { readPhoneIn } from '../../contract/fields/phone.ts';
import { defaultLanguage, type LanguageCode, languages } from '../../contract/languages.ts';
import { seconds } from '../../contract/units.ts';
import { fromBase32 } from '../../security/factors.ts';
import { importForeignHash, noHash } from '../../security/imported-hashes.ts';
import type { ImportedAccount } from '../../store/accounts/find-accounts.ts';
import { groupName, maxGroupsOfAccount } from '../../store/applications/account-groups.ts';

/** A boolean as JSON, spreadsheets and databases write it, such as `TRUE`, `1` and `t`. */
const truth = z.pipe(
  z.union([z.boolean(), z.number(), z.string()]),
  z.transform((value, { issues }) => {
    const word = String(value).toLowerCase();
    const isTrue = ['true', '1', 'yes', 't'].includes(word);
    if (!isTrue && !['false', '0', 'no', 'f'].includes(word))
      issues.push({ code: 'custom', input: value, message: 'must be true or false' });
    return isTrue;
  }),
);
/** Milliseconds since the epoch. */
const time = z.pipe(
  z.union([z.string(), z.number()]),
  z.transform((value, { issues }) => {
    const at = readTime(String(value), Date.now());
    if (at === undefined) issues.push({ code: 'custom', input: value, message: `not a valid past time; ${timeForms}` });
    return at ?? 0;
  }),
);
const language = z.pipe(
  z.string(),
  z.transform((value, { issues }): LanguageCode => {
    const spoken = value.toLowerCase().split(/[-_]/, 1)[0];
    const found = languages.find(({ code }) => code === spoken);
    if (!found) issues.push({ code: 'custom', input: value, message: 'not a supported language' });
    return found?.code ?? defaultLanguage;
  }),
);
const passwordHash = z.pipe(
  z.string(),
  z.transform((value, { issues }) => {
    const kept = importForeignHash(value);
    if (!kept) issues.push({ code: 'custom', input: value, message: 'not a supported hash' });
    return kept ?? noHash;
  }),
);

/** The secret of an authenticator app with SHA-1, six digits and 30 seconds, which nearly all services use. */
const totpSecret = z.pipe(
  z.string(),
  z.transform((value, { issues }) => {
    const secret = fromBase32(value);
    if (!secret || secret.length < 10) issues.push({ code: 'custom', input: value, message: 'not a base32 secret' });
    return secret;
  }),
);

/** Names of groups: a list in JSON; one text with commas, semicolons or spaces between them in CSV. */
const groups = z.pipe(
  z.union([z.array(z.string()), z.string()]),
  z.transform((value, { issues }): readonly string[] => {
    const names = [...new Set(typeof value === 'string' ? value.split(/[\s,;]+/).filter(Boolean) : value)];
    const wrong = names.find((name) => !groupName.test(name));
    const message =
      wrong !== undefined
        ? `${JSON.stringify(wrong)} is not the name of a group`
        : names.length > maxGroupsOfAccount && `must be at most ${maxGroupsOfAccount} names`;
    if (message) issues.push({ code: 'custom', input: value, message });
    return names;
  }),
);

const fields = {
  email,
  name: z._default(name, ''),
  phone: z.optional(z.string()),
  phone_confirmed: z._default(truth, false),
  ...profileFields,
  locale: z._default(language, defaultLanguage),
  password_hash: z._default(passwordHash, noHash),
  totp_secret: z.optional(totpSecret),
  email_verified: z._default(truth, true),
  consent_offers: z.optional(truth),
  created_at: z.optional(time),
  groups: z.optional(groups),
} as const;
const schema = z.object(fields);

/** The columns that a row may have. */
export const importedFields = Object.keys(fields);

type Read = { readonly account: ImportedAccount } | { readonly refused: string };

/** Reads an account from a row that another service exported. Times are milliseconds since the epoch. */
export function readAccount(row: Readonly<Record<string, unknown>>, now: number): Read {
  const unknown = Object.keys(row).filter((field) => !importedFields.includes(field));
  if (unknown.length > 0) return { refused: `${unknown.join(', ')}: unknown field` };
  const given = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  const { data, error } = schema.safeParse(given);
  if (error) return { refused: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
  const phone = data.phone === undefined ? '' : readPhoneIn(data.phone, data.locale);
  if (phone === undefined) return { refused: 'phone: not a valid number; write it with + and the country code' };
  const account = {
    id: randomUUID(),
    email: data.email,
    email_proven_at: data.email_verified ? now : null,
    name: data.name,
    phone,
    phone_confirmed_at: phone !== '' && data.phone_confirmed ? now : null,
    ...profileIn(data),
    locale: data.locale,
    password_hash: data.password_hash,
    created_at: data.created_at ?? now,
  };
  return {
    account: { ...account, offers: data.consent_offers, totpSecret: data.totp_secret, groups: data.groups ?? [] },
  };
}

/** The accepted formats of a time, for error messages. */
const timeForms = 'write 2020-01-31, 2020-01-31T07:08:09Z, or seconds or milliseconds since 1970';

const day = z.iso.date();
const moment = z.iso.datetime({ offset: true, local: true });
/** No account is older; a number that seems to be is not a time. */
const earliest = Date.UTC(1980, 0);
/** Read as milliseconds, it is before any account; read as seconds, in the far future. So no number is ambiguous. */
const leastMilliseconds = 1e11;

/** Parses a time as other services write it. Milliseconds since the epoch; undefined if invalid, too old or after `now`. */
function readTime(text: string, now: number): number | undefined {
  const at = /^\d+$/.test(text) ? readNumber(Number(text)) : readDate(text);
  return at >= earliest && at <= now ? at : undefined;
}

const readNumber = (number: number): number => (number < leastMilliseconds ? number * seconds(1) : number);

/** Parses ISO 8601 and SQL formats, as UTC unless there is a zone. `Date.parse` alone would accept February 30. */
function readDate(text: string): number {
  if (day.safeParse(text).success) return Date.parse(text);
  const written = text
    .replace(/^(\S+) (\d\d:)/, '$1T$2')
    .replace(/ ?UTC$/, 'Z')
    .replace(/ ?([+-]\d\d)(?::?(\d\d))?$/, (_, hours: string, minutes = '00') => `${hours}:${minutes}`);
  if (!moment.safeParse(written).success) return Number.NaN;
  return Date.parse(/Z$|[+-]\d\d:\d\d$/.test(written) ? written : `${written}Z`);
}
