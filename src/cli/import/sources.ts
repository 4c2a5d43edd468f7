import { languages } from '../../contract/languages.ts';
import { days } from '../../contract/units.ts';
import { base32 } from '../../security/factors.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What becomes of a record: a row of our own format; nothing, because it is nobody; or a refusal. */
type Mapped = Fields | { readonly ignored: string } | { readonly refusal: string };

export interface SourceOptions {
  readonly now: number;
  /** The block `hash_config` of Firebase's console. */
  readonly hashConfig: string | undefined;
  /** Tells the operator what becomes different, once for many accounts. */
  note(text: string): void;
}

/** A service whose export `--from` reads. */
interface Source {
  /** In JSON: the lists that contain the accounts; without them the whole document is a list, or one line each. */
  readonly lists?: readonly string[];
  /** The columns of its CSV files, which have no header line. */
  readonly columns?: readonly string[];
  readonly isLdif?: boolean;
  /** Reads a record; in those of tables, names are in lower case and without underscores. */
  readonly row: (record: Fields, options: SourceOptions) => Mapped;
}

/** The value at a path of names, such as `traits.name.first`. */
function at(record: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Fields | null | undefined)?.[name], record);
}

/** The first value at one of the paths that is a text or a number and not empty; of a list, its first item. */
function textAt(record: unknown, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const found = at(record, path);
    const value: unknown = Array.isArray(found) ? found[0] : found;
    if ((typeof value === 'string' || typeof value === 'number') && value !== '') return String(value);
  }
  return undefined;
}

const listAt = (record: unknown, path: string): readonly unknown[] => {
  const value = at(record, path);
  return Array.isArray(value) ? value : [];
};

const isTrue = (value: unknown): boolean => ['true', 't', '1'].includes(String(value).toLowerCase());
const isFalse = (value: unknown): boolean => ['false', 'f', '0'].includes(String(value).toLowerCase());

/** JSON that a field contains as text, or that is already read. */
function json(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}

const named = (...parts: readonly (string | undefined)[]): string | undefined =>
  parts.filter(Boolean).join(' ') || undefined;

/** A record of a table, from CSV or JSON, with its names in lower case and without underscores. */
const table = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase().replaceAll('_', ''), value]));

/** Whether a lock ends so late that it is not one for wrong passwords. */
const isLong = (until: string | undefined, now: number): boolean =>
  until !== undefined && (until === 'infinity' || Date.parse(until.replace(/([+-]\d\d)$/, '$1:00')) > now + days(1));

/** A zero date of MySQL is none. */
const dated = (value: string | undefined): string | undefined => (value?.startsWith('0000') ? undefined : value);

function languageOf(value: string | undefined, { note }: SourceOptions): string | undefined {
  const code = value?.toLowerCase().split(/[-_,;]/, 1)[0];
  if (!code || languages.some((language) => language.code === code)) return code;
  note(`language ${JSON.stringify(code)} is not supported: English`);
  return undefined;
}

/** Names of groups in our form; other services allow spaces in them. */
function groupsOf(names: readonly unknown[], { note }: SourceOptions): readonly string[] {
  return names.map((name) => {
    const given = String(name).replace(/^\//, '');
    const group = given.trim().replaceAll(/\s+/g, '-');
    if (group !== given) note(`group ${JSON.stringify(given)} is ${JSON.stringify(group)}`);
    return group;
  });
}

/** The secret in an `otpauth://` address, if our authenticators use its parameters. */
function totpOf(address: string | undefined): { secret?: string | undefined; refusal?: string } {
  if (address === undefined) return {};
  const parameters = URL.canParse(address) ? new URL(address).searchParams : new URLSearchParams();
  const usual = { algorithm: 'SHA1', digits: '6', period: '30' };
  const other = Object.entries(usual).find(([name, value]) => (parameters.get(name) ?? value).toUpperCase() !== value);
  if (other) return { refusal: `authenticator: its ${other[0]} is not ${other[1]}` };
  return { secret: parameters.get('secret') ?? undefined };
}

function keycloak(user: Fields, options: SourceOptions): Mapped {
  if (textAt(user, 'serviceAccountClientId', 'serviceAccountLink')) return { ignored: 'a service account' };
  if (user.realm && !user.username) return { refusal: 'a realm without users: export it with its users' };
  const credentials = listAt(user, 'credentials').map((one) => ({
    ...(one as Fields),
    data: json(at(one, 'credentialData')),
    secret: json(at(one, 'secretData')),
  }));
  const ofType = (...types: readonly string[]) => credentials.filter((one) => types.includes(String(at(one, 'type'))));
  const [otp, ...others] = ofType('otp', 'totp', 'hotp');
  if (others.length > 0) options.note('of several authenticators, the first');
  const isUsual =
    textAt(otp, 'data.subType', 'type') !== 'hotp' &&
    ['HmacSHA1', 'SHA1', undefined].includes(textAt(otp, 'data.algorithm', 'algorithm')) &&
    ['6', undefined].includes(textAt(otp, 'data.digits', 'digits')) &&
    ['30', undefined].includes(textAt(otp, 'data.period', 'period'));
  if (otp && !isUsual) return { refusal: 'authenticator: not TOTP with SHA-1, six digits and 30 seconds' };
  const secret = textAt(otp, 'secret.value', 'value');
  if (otp && !secret) return { refusal: 'authenticator: the export lacks its secret' };
  const password = ofType('password')[0];
  const hash = keycloakHash(password);
  if (password && !hash) return { refusal: 'password: the export lacks its hash' };
  const isBase32 = textAt(otp, 'data.secretEncoding')?.toUpperCase() === 'BASE32';
  const accepted = textAt(user, 'attributes.terms_and_conditions', 'attributes.TERMS_AND_CONDITIONS');
  const id = textAt(user, 'id');
  const keys = ofType('webauthn-passwordless', 'webauthn');
  return {
    id,
    email: textAt(user, 'email') ?? [textAt(user, 'username')].find((name) => name?.includes('@')),
    name: named(textAt(user, 'firstName'), textAt(user, 'lastName')),
    email_verified: user.emailVerified ?? false,
    locked: isFalse(user.enabled),
    created_at: user.createdTimestamp,
    groups: groupsOf(listAt(user, 'groups'), options),
    locale: languageOf(textAt(user, 'attributes.locale'), options),
    phone: textAt(user, 'attributes.phoneNumber', 'attributes.phone_number', 'attributes.phone', 'attributes.mobile'),
    phone_confirmed: isTrue(textAt(user, 'attributes.phoneNumberVerified', 'attributes.phone_number_verified')),
    password_hash: hash,
    totp_secret: secret && !isBase32 ? base32(Buffer.from(secret)) : secret,
    passkeys: keys.map((one) => ({
      id: textAt(one, 'data.credentialId'),
      public_key: textAt(one, 'data.credentialPublicKey'),
      counter: at(one, 'data.counter') ?? 0,
      name: textAt(one, 'userLabel'),
      aaguid: textAt(one, 'data.aaguid'),
      transports: listAt(one, 'data.transports').map((way) => String(way).toLowerCase()),
      created_at: at(one, 'createdDate'),
    })),
    passkey_user_handle: keys.length > 0 && id ? Buffer.from(id).toString('base64url') : undefined,
    consent_terms: accepted ? true : undefined,
    consented_at: accepted,
  };
}

/** A password of Keycloak in PHC's format. */
function keycloakHash(credential: unknown): string | undefined {
  const value = textAt(credential, 'secret.value', 'hashedSaltedValue');
  if (value === undefined || value.startsWith('$')) return value;
  const algorithm = textAt(credential, 'data.algorithm', 'algorithm') ?? 'pbkdf2-sha256';
  const salt = textAt(credential, 'secret.salt', 'salt');
  const iterations = textAt(credential, 'data.hashIterations', 'hashIterations');
  const more = (name: string) => textAt(credential, `data.additionalParameters.${name}`);
  if (algorithm !== 'argon2') return `$${algorithm}$i=${iterations}$${salt}$${value}`;
  const version = more('version') === '1.0' ? 16 : 19;
  return `$argon2${more('type') ?? 'id'}$v=${version}$m=${more('memory')},t=${iterations},p=${more('parallelism')}$${salt}$${value}`;
}

const firebaseColumns = [
  ...['localId', 'email', 'emailVerified', 'passwordHash', 'salt', 'displayName', 'photoUrl'],
  ...['google', 'facebook', 'twitter', 'github'].flatMap((name) => [1, 2, 3, 4].map((part) => `${name}${part}`)),
  ...['createdAt', 'lastLoginAt', 'phoneNumber', 'disabled', 'customAttributes', 'end'],
];

function firebase(user: Fields, { hashConfig }: SourceOptions): Mapped {
  const hash = textAt(user, 'passwordHash');
  const setting = (name: string) => new RegExp(`${name}\\W+([\\w+/=-]+)`).exec(hashConfig ?? '')?.[1];
  const [key, separator] = [setting('base64_signer_key'), setting('base64_salt_separator') ?? ''];
  const [rounds, memory] = [setting('rounds'), setting('mem_cost')];
  if (hash && !(key && rounds && memory))
    return { refusal: 'passwordHash: needs --hash-config FILE with the block hash_config of the Firebase console' };
  if (hash && /^UkVEQUNURUQ/.test(hash))
    return {
      refusal: 'passwordHash: redacted; export as a user who may read hashes (firebaseauth.configs.getHashConfig)',
    };
  const phone = textAt(user, 'phoneNumber');
  return {
    id: textAt(user, 'localId'),
    email: textAt(user, 'email'),
    name: textAt(user, 'displayName'),
    email_verified: isTrue(user.emailVerified),
    locked: isTrue(user.disabled),
    created_at: textAt(user, 'createdAt'),
    phone,
    // Firebase stores numbers after it has confirmed them.
    phone_confirmed: phone !== undefined,
    password_hash:
      hash && `$firebase-scrypt$ln=${memory},r=${rounds},sep=${separator},key=${key}$${textAt(user, 'salt')}$${hash}`,
  };
}

function auth0(user: Fields, options: SourceOptions): Mapped {
  const row = table(user);
  const native = textAt(user, '_id.$oid', '_id');
  return {
    id: textAt(row, 'userid') ?? (native ? `auth0|${native}` : textAt(row, 'id')),
    email: textAt(row, 'email'),
    name: textAt(row, 'name') ?? named(textAt(row, 'givenname'), textAt(row, 'familyname')) ?? textAt(row, 'nickname'),
    email_verified: isTrue(row.emailverified),
    locked: isTrue(row.blocked),
    created_at: textAt(row, 'createdat.$date', 'createdat'),
    phone: textAt(row, 'phonenumber'),
    phone_confirmed: isTrue(row.phoneverified),
    locale: languageOf(textAt(row, 'locale'), options),
    password_hash: textAt(row, 'passwordhash'),
  };
}

function supabase(user: Fields, { now }: SourceOptions): Mapped {
  const row = table(user);
  if (textAt(row, 'deletedat')) return { ignored: 'deleted' };
  if (isTrue(row.isanonymous)) return { ignored: 'anonymous' };
  const details = json(row.rawusermetadata);
  const phone = textAt(row, 'phone');
  return {
    id: textAt(row, 'id'),
    email: textAt(row, 'email'),
    name: textAt(details, 'full_name', 'name', 'display_name'),
    email_verified: textAt(row, 'emailconfirmedat') !== undefined,
    locked: isLong(textAt(row, 'banneduntil'), now),
    created_at: textAt(row, 'createdat'),
    // Stored in E.164, but without its plus sign.
    phone: phone && `+${phone.replace(/^\+/, '')}`,
    phone_confirmed: textAt(row, 'phoneconfirmedat') !== undefined,
    password_hash: textAt(row, 'encryptedpassword'),
    totp_secret: textAt(row, 'totpsecret'),
  };
}

function kratos(identity: Fields, options: SourceOptions): Mapped {
  const email = textAt(identity, 'traits.email');
  const proven = (via: string) =>
    listAt(identity, 'verifiable_addresses').some((one) => at(one, 'via') === via && at(one, 'verified') === true);
  const totp = totpOf(textAt(identity, 'credentials.totp.config.totp_url'));
  if (totp.refusal) return { refusal: totp.refusal };
  const lacks = (kind: string, field: string) =>
    at(identity, `credentials.${kind}`) !== undefined && !textAt(identity, `credentials.${kind}.config.${field}`);
  if (lacks('password', 'hashed_password') || lacks('totp', 'totp_url'))
    return { refusal: 'credentials: without their secrets; export with include_credential=password and =totp' };
  const keys = ['passkey', 'webauthn'].flatMap((kind) => listAt(identity, `credentials.${kind}.config.credentials`));
  return {
    id: textAt(identity, 'id'),
    email,
    name:
      textAt(identity, 'traits.name') ??
      named(textAt(identity, 'traits.name.first'), textAt(identity, 'traits.name.last')),
    email_verified: proven('email'),
    locked: identity.state === 'inactive',
    created_at: textAt(identity, 'created_at')?.replace(/(\.\d{3})\d+/, '$1'),
    phone: textAt(identity, 'traits.phone', 'traits.phone_number'),
    phone_confirmed: proven('sms'),
    locale: languageOf(textAt(identity, 'traits.locale', 'traits.language'), options),
    password_hash: textAt(identity, 'credentials.password.config.hashed_password'),
    totp_secret: totp.secret,
    passkeys: keys.map((one) => ({
      id: textAt(one, 'id'),
      public_key: textAt(one, 'public_key'),
      counter: at(one, 'authenticator.sign_count') ?? 0,
      name: textAt(one, 'display_name'),
      backup_eligible: at(one, 'flags.backup_eligible') ?? false,
      backed_up: at(one, 'flags.backup_state') ?? false,
    })),
    passkey_user_handle: textAt(
      identity,
      'credentials.passkey.config.user_handle',
      'credentials.webauthn.config.user_handle',
    ),
  };
}

function authentik(user: Fields, options: SourceOptions): Mapped {
  if (/service_account$/.test(textAt(user, 'type') ?? '')) return { ignored: 'a service account' };
  const groups = listAt(user, 'groups_obj').map((group) => at(group, 'name'));
  return {
    id: textAt(user, 'uid', 'uuid'),
    email: textAt(user, 'email'),
    name: textAt(user, 'name', 'username'),
    locked: isFalse(user.is_active),
    created_at: textAt(user, 'date_joined')?.replace(/(\.\d{3})\d+/, '$1'),
    groups: groupsOf(groups.length > 0 ? groups : listAt(user, 'groups'), options),
    password_hash: textAt(user, 'password'),
  };
}

function zitadel(record: Fields, options: SourceOptions): Mapped {
  // An exported user, or one that its API lists.
  const user = at(record, 'user') ?? at(record, 'human') ?? record;
  if (at(record, 'machine')) return { ignored: 'a service account' };
  return {
    id: textAt(record, 'userId', 'id'),
    email: textAt(user, 'email.email'),
    name:
      textAt(user, 'profile.displayName') ??
      named(
        textAt(user, 'profile.firstName', 'profile.givenName'),
        textAt(user, 'profile.lastName', 'profile.familyName'),
      ),
    email_verified: isTrue(at(user, 'email.isEmailVerified') ?? at(user, 'email.isVerified')),
    locked: /INACTIVE|LOCKED|SUSPEND/.test(textAt(record, 'state') ?? ''),
    created_at: textAt(record, 'details.creationDate')?.replace(/(\.\d{3})\d+/, '$1'),
    phone: textAt(user, 'phone.phone'),
    phone_confirmed: isTrue(at(user, 'phone.isPhoneVerified') ?? at(user, 'phone.isVerified')),
    locale: languageOf(textAt(user, 'profile.preferredLanguage'), options),
    password_hash: textAt(user, 'hashedPassword.value', 'hashedPassword'),
    totp_secret: textAt(user, 'otpCode'),
  };
}

function django(record: Fields, options: SourceOptions): Mapped {
  const user = (record.fields ?? record) as Fields;
  if (!('password' in user)) return { ignored: `not an account, but ${textAt(record, 'model') ?? 'something else'}` };
  const groups = listAt(user, 'groups').flat();
  if (groups.some((group) => typeof group === 'number'))
    return { refusal: 'groups: numbers; export with --natural-foreign, which writes their names' };
  return {
    id: textAt(record, 'pk', 'id'),
    email: textAt(user, 'email') ?? [textAt(user, 'username')].find((name) => name?.includes('@')),
    name: named(textAt(user, 'first_name'), textAt(user, 'last_name')) ?? textAt(user, 'name', 'full_name'),
    locked: isFalse(user.is_active),
    created_at: textAt(user, 'date_joined')?.replace(/(\.\d{3})\d+/, '$1'),
    groups: groupsOf(groups, options),
    password_hash: textAt(user, 'password'),
  };
}

function wordpress(user: Fields, options: SourceOptions): Mapped {
  const row = table(user);
  const roles = Array.isArray(row.roles) ? row.roles : (textAt(row, 'roles')?.split(/,\s*/) ?? []);
  return {
    id: textAt(row, 'id'),
    email: textAt(row, 'useremail'),
    name: textAt(row, 'displayname'),
    created_at: dated(textAt(row, 'userregistered')),
    groups: groupsOf(roles, options),
    password_hash: textAt(row, 'userpass'),
  };
}

function aspnet(user: Fields, { now }: SourceOptions): Mapped {
  const row = table(user);
  return {
    id: textAt(row, 'id'),
    email: textAt(row, 'email'),
    name: textAt(row, 'name', 'fullname') ?? named(textAt(row, 'firstname'), textAt(row, 'lastname')),
    email_verified: isTrue(row.emailconfirmed),
    locked: !isFalse(row.lockoutenabled) && isLong(textAt(row, 'lockoutend'), now),
    phone: textAt(row, 'phonenumber'),
    phone_confirmed: isTrue(row.phonenumberconfirmed),
    password_hash: textAt(row, 'passwordhash'),
    totp_secret: isFalse(row.twofactorenabled) ? undefined : textAt(row, 'authenticatorkey'),
  };
}

function betterAuth(user: Fields): Mapped {
  const row = table(user);
  return {
    id: textAt(row, 'id'),
    email: textAt(row, 'email'),
    name: textAt(row, 'name'),
    email_verified: isTrue(row.emailverified),
    locked: isTrue(row.banned),
    created_at: textAt(row, 'createdat'),
    phone: textAt(row, 'phonenumber'),
    phone_confirmed: isTrue(row.phonenumberverified),
    password_hash: textAt(row, 'password'),
  };
}

function laravel(user: Fields): Mapped {
  const row = table(user);
  return {
    id: textAt(row, 'id'),
    email: textAt(row, 'email'),
    name: textAt(row, 'name'),
    email_verified: textAt(row, 'emailverifiedat') !== undefined,
    created_at: textAt(row, 'createdat'),
    password_hash: textAt(row, 'password'),
  };
}

/** Object classes of people, and the flag of Active Directory for a disabled account. */
const peopleClasses = /^(?:.*person|posixaccount|user)$/i;
const accountDisabled = 2;

function ldif(entry: Fields, options: SourceOptions): Mapped {
  const classes = listAt(entry, 'objectclass').map(String);
  if (!classes.some((name) => peopleClasses.test(name)) && !entry.mail) return { ignored: 'not a person' };
  const created = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(textAt(entry, 'createtimestamp', 'whencreated') ?? '');
  const [, year, month, day, ...clock] = created ?? [];
  const until = textAt(entry, 'pwdaccountlockedtime');
  const flags = Number(textAt(entry, 'useraccountcontrol') ?? 0);
  // The first name of a distinguished name: `cn=staff,ou=groups,dc=example`.
  const groups = listAt(entry, 'memberof').map((dn) => /^[^=]+=((?:\\.|[^,\\])+)/.exec(String(dn))?.[1] ?? dn);
  return {
    id: textAt(entry, 'entryuuid', 'nsuniqueid', 'ipauniqueid'),
    email: textAt(entry, 'mail'),
    name: textAt(entry, 'displayname', 'cn') ?? named(textAt(entry, 'givenname'), textAt(entry, 'sn')),
    locked: isTrue(textAt(entry, 'nsaccountlock')) || until === '000001010000Z' || (flags & accountDisabled) !== 0,
    created_at: created ? `${year}-${month}-${day}T${clock.join(':')}Z` : undefined,
    groups: groupsOf(groups, options),
    locale: languageOf(textAt(entry, 'preferredlanguage'), options),
    phone: textAt(entry, 'mobile', 'telephonenumber'),
    organization: textAt(entry, 'o'),
    password_hash: textAt(entry, 'userpassword'),
  };
}

export const sources = {
  keycloak: { lists: ['users'], row: keycloak },
  firebase: { lists: ['users'], columns: firebaseColumns, row: firebase },
  auth0: { row: auth0 },
  supabase: { row: supabase },
  kratos: { row: kratos },
  authentik: { lists: ['results'], row: authentik },
  zitadel: { lists: ['humanUsers', 'result'], row: zitadel },
  django: { row: django },
  laravel: { row: laravel },
  wordpress: { row: wordpress },
  aspnet: { row: aspnet },
  'better-auth': { row: betterAuth },
  ldif: { isLdif: true, row: ldif },
} as const satisfies Readonly<Record<string, Source>>;

export const sourceNamed = (name: string): Source | undefined =>
  Object.hasOwn(sources, name) ? sources[name as keyof typeof sources] : undefined;

/** A row of our own format without the fields that the record lacks. */
export const withoutGaps = (row: Fields): Fields =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== undefined && !isEmptyList(value))
      .map(tidy),
  );

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Also within passkeys. */
const tidy = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  name === 'passkeys' && Array.isArray(value) ? value.map((one) => withoutGaps(one as Fields)) : value,
];
