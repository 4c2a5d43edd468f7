import { randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { profileFields, profileIn } from '../../contract/account.ts';
import { email, name } from '../../contract/fields/fields.ts';
import { countryOfPhone, phoneReadings } from '../../contract/fields/phone.ts';
import { defaultLanguage, type LanguageCode, languages, regions } from '../../contract/languages.ts';
import { readLike, textLike } from '../../contract/settings.ts';
import { seconds } from '../../contract/units.ts';
import { fromBase32 } from '../../security/factors.ts';
import { importForeignHash, noHash } from '../../security/imported-hashes.ts';
import { readPublicKey } from '../../security/web-authn/web-authn.ts';
import type { ImportedAccount, ImportedPasskey } from '../../store/accounts/import-accounts.ts';
import { groupName, maxGroupsOfAccount } from '../../store/applications/account-groups.ts';

/** The accepted formats of a time, for error messages. */
const timeForms = 'write 2020-01-31, 2020-01-31T07:08:09Z, or seconds or milliseconds since 1970';

/** A boolean as JSON, spreadsheets and databases write it, such as `TRUE`, `1` and `t`. */
const truths = new Map([
  ...['true', '1', 'yes', 't'].map((word) => [word, true] as const),
  ...['false', '0', 'no', 'f'].map((word) => [word, false] as const),
]);
const truth = z.pipe(
  z.pipe(z.union([z.boolean(), z.number(), z.string()]), z.transform(String)),
  readLike((text) => truths.get(text.toLowerCase()), 'must be true or false'),
);
/** Text, which JSON may have as a number. */
const written = z.pipe(z.union([z.string(), z.number()]), z.transform(String));
const time = z.pipe(
  written,
  readLike((text) => readTime(text, Date.now()), `not a valid past time; ${timeForms}`),
);
const language = readLike((text): LanguageCode | undefined => {
  const spoken = text.toLowerCase().split(/[-_]/, 1)[0];
  return languages.find(({ code }) => code === spoken)?.code;
}, 'not a supported language');
const passwordHash = z.pipe(
  z.string(),
  z.transform((value, { issues }) => {
    const read = importForeignHash(value);
    if ('kept' in read) return read.kept;
    issues.push({ code: 'custom', input: value, message: read.refused });
    return noHash;
  }),
);

/** The secret of an authenticator app with SHA-1, six digits and 30 seconds, which nearly all services use. */
const totpSecret = readLike((text) => {
  const secret = fromBase32(text);
  return secret && secret.length >= 10 ? secret : undefined;
}, 'not a base32 secret');

/** Who an account is to other applications: the `sub` of their tokens. Never an email address, which names accounts too. */
const id = z.pipe(
  written,
  textLike(/^[A-Za-z0-9][\w.:|~+-]{0,127}$/, 'not an id: 1 to 128 letters, digits and .:|_~+-'),
);

const bytes = z.pipe(
  textLike(/^[\w+/-]+={0,2}$/, 'not base64'),
  z.transform((text) => Buffer.from(text, 'base64')),
);
const noModel = '00000000-0000-0000-0000-000000000000';
const passkey = z.object({
  id: bytes,
  public_key: bytes,
  counter: z._default(z.number(), 0),
  name: z._default(name, 'Passkey'),
  aaguid: z._default(z.uuid(), noModel),
  transports: z._default(z.array(z.string()), []),
  backup_eligible: z._default(truth, false),
  backed_up: z._default(truth, false),
  created_at: z.optional(time),
});

/** A list in JSON; its text in CSV. */
const passkeys = z.pipe(
  z.transform((value) => {
    try {
      return typeof value === 'string' ? JSON.parse(value) : value;
    } catch {
      return value;
    }
  }),
  z.array(passkey),
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
  id: z.optional(id),
  email,
  name: z._default(name, ''),
  phone: z.optional(z.string()),
  phone_confirmed: z._default(truth, false),
  ...profileFields,
  locale: z._default(language, defaultLanguage),
  password_hash: z._default(passwordHash, noHash),
  locked: z._default(truth, false),
  totp_secret: z.optional(totpSecret),
  passkeys: z._default(passkeys, []),
  passkey_user_handle: z.optional(bytes),
  email_verified: z._default(truth, true),
  consent_offers: z.optional(truth),
  consent_personal_data: z.optional(truth),
  consent_terms: z.optional(truth),
  terms_url: z.optional(z.url()),
  consented_at: z.optional(time),
  created_at: z.optional(time),
  groups: z.optional(groups),
} as const;
const schema = z.object(fields);

/** The columns that a row may have. */
export const importedFields = Object.keys(fields);

type Read = { readonly account: ImportedAccount } | { readonly refused: string };

interface ReadOptions {
  readonly now: number;
  /** The country (ISO 3166) of phone numbers without a country code; undefined for the one of the account's language. */
  readonly country?: string | undefined;
}

/** Reads an account from a row that another service exported. */
export async function readAccount(
  row: Readonly<Record<string, unknown>>,
  { now, country }: ReadOptions,
): Promise<Read> {
  const unknown = Object.keys(row).filter((field) => !importedFields.includes(field));
  if (unknown.length > 0) return { refused: `${unknown.join(', ')}: unknown field` };
  const given = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
  const { data, error } = schema.safeParse(given);
  if (error) return { refused: error.issues.map((issue) => explain(issue, given)).join('; ') };
  const phone = readPhone(data.phone, { country, region: regions[data.locale] });
  if ('refused' in phone) return { refused: `phone: ${phone.refused}` };
  const keys = await Promise.all(data.passkeys.map((one) => readPasskey(one, now)));
  if (keys.includes(undefined))
    return {
      refused: 'passkeys: a public key that is not COSE with ES256, EdDSA or RS256, or an id of more than 1023 bytes',
    };
  const account = {
    id: data.id ?? randomUUID(),
    email: data.email,
    email_proven_at: data.email_verified ? now : null,
    name: data.name,
    phone: phone.number,
    phone_confirmed_at: phone.number !== '' && data.phone_confirmed ? now : null,
    ...profileIn(data),
    locale: data.locale,
    password_hash: data.password_hash,
    locked_at: data.locked ? now : null,
    created_at: data.created_at ?? now,
  };
  const consents = {
    offers: data.consent_offers,
    personal_data: data.consent_personal_data,
    terms: data.consent_terms,
  };
  return {
    account: {
      ...account,
      hasGivenId: data.id !== undefined,
      consents: { ...consents, document: data.terms_url, at: data.consented_at ?? now },
      totpSecret: data.totp_secret,
      groups: data.groups ?? [],
      passkeys: keys.filter((key) => key !== undefined),
      passkeyUserHandle: data.passkey_user_handle?.toString('base64url'),
    },
  };
}

/** Fields whose values are secret: a message about them contains none of their characters. */
const secretFields: readonly unknown[] = ['password_hash', 'totp_secret', 'passkeys', 'passkey_user_handle'];
const shownLength = 30;

/** What is wrong with a field, and how its value begins. */
function explain(
  { path, message }: { path: PropertyKey[]; message: string },
  given: Readonly<Record<string, unknown>>,
) {
  const field = path.join('.');
  const value = given[String(path[0])];
  const isShown = path.length === 1 && !secretFields.includes(path[0]) && ['string', 'number'].includes(typeof value);
  const text = String(value);
  const start = JSON.stringify(text.length > shownLength ? `${text.slice(0, shownLength)}…` : text);
  return `${field}: ${message}${isShown ? `, in ${start}` : ''}`;
}

/** A number in E.164, empty if there is none. Numbers with two readings are refused with both. */
function readPhone(
  typed: string | undefined,
  { country, region }: { country: string | undefined; region: string },
): { readonly number: string } | { readonly refused: string } {
  if (typed === undefined || typed.trim() === '') return { number: '' };
  const all = phoneReadings(typed, country ?? region);
  const readings = all.length > 1 && country ? all.filter((one) => countryOfPhone(one) === country) : all;
  const [number, other] = readings.length === 0 ? all : readings;
  const shown = JSON.stringify(typed.slice(0, shownLength));
  if (number === undefined) return { refused: `not a valid number; write it with + and the country code, in ${shown}` };
  if (other !== undefined)
    return { refused: `${shown} may be ${number} or ${other}; write it with +, or give --country` };
  return { number };
}

async function readPasskey(one: z.infer<typeof passkey>, now: number): Promise<ImportedPasskey | undefined> {
  const key = await readPublicKey(one.public_key);
  if (!key || one.id.length > 1023) return undefined;
  return {
    ...key,
    id: one.id.toString('base64url'),
    name: one.name,
    aaguid: one.aaguid,
    counter: one.counter,
    transports: one.transports.join(','),
    backup_eligible: one.backup_eligible ? 1 : 0,
    backed_up: one.backed_up ? 1 : 0,
    created_at: one.created_at ?? now,
    last_used_at: null,
    eligibility_changed_at: null,
    session_id: null,
  };
}

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
