import * as z from 'zod/mini';
import { confirmationWays } from '../../contract/call-ways.ts';
import { passwordMinLength } from '../../contract/fields/field-sizes.ts';
import { languages } from '../../contract/languages.ts';
import { listOf, readLike, type TextByLanguage, textLike } from '../../contract/settings.ts';
import { coverStrangers, isAddressRange } from '../../http/incoming/visitor.ts';
import { ownPort } from '../../outbox/bounces/bounce-listener.ts';
import { relaySettings } from '../../outbox/bounces/relays.ts';
import { isBlockable, isMailbox } from '../../outbox/domains/addresses.ts';
import { senderList } from '../../phone-calls/call-texts.ts';
import { isCountry } from '../../phone-calls/callable.ts';
import { priceList } from '../../phone-calls/prices.ts';
import { apiUrl } from '../../phone-calls/provider.ts';
import { callSettings } from '../../phone-calls/providers.ts';
import { returnTokenLength } from '../../security/tokens.ts';
import { hostsIn } from '../../store/postgres/hosts.ts';

/** A whole number between two bounds. */
const whole = (from: number, to: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d+$/, 'must be a whole number')),
    z.pipe(
      z.transform(Number),
      z.number().check(z.minimum(from, `must be at least ${from}`), z.maximum(to, `must be at most ${to}`)),
    ),
  );

const choice = <const Names extends readonly [string, ...string[]]>(...names: Names) =>
  z.enum(names, { error: `must be ${names.slice(0, -1).join(', ')} or ${names.at(-1)}` });

/** A domain. Lower case, because authenticators sign the bytes of the name. */
const domain = textLike(
  /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)*[a-z](?:[a-z\d-]*[a-z\d])?$/,
  'must be a domain in lower case, such as example.com',
);

const sentence = z.string().check(z.minLength(1), z.maxLength(200));
const byLanguage = z.strictObject(Object.fromEntries(languages.map(({ code }) => [code, z.optional(sentence)])));

/** One sentence for all languages, or JSON with one for each. */
const sentences = readLike((value): TextByLanguage | undefined => {
  const given = value.startsWith('{') ? parsed(value) : Object.fromEntries(languages.map(({ code }) => [code, value]));
  return byLanguage.safeParse(given).data;
}, 'must be a sentence of at most 200 characters, or JSON with one for each language: {"en":"…","de":"…"}');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const text = z.string().check(z.minLength(1));
const url = (...schemes: string[]) =>
  textLike(
    (value) => schemes.includes(URL.parse(value)?.protocol ?? ''),
    `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
  );
/** Scheme, host and port. A path would be dropped silently, and a wildcard would match nothing. */
const origin = z.pipe(
  url('http:', 'https:').check(
    z.refine((value) => {
      const { pathname = '/', search = '', hash = '', username = '', password = '' } = URL.parse(value) ?? {};
      return (
        pathname === '/' && !value.includes('*') && [search, hash, username, password].every((part) => part === '')
      );
    }, 'must be an origin without a path or a *, such as https://account.example.com'),
  ),
  z.transform((value) => URL.parse(value)?.origin ?? value),
);
const addressRanges = listOf(textLike(isAddressRange, 'must be addresses or CIDR ranges, separated by commas'));
const secretKey = z.string().check(z.minLength(32, 'must have at least 32 characters'));
const mailbox = textLike(isMailbox, 'must be an email address with only ASCII characters before the @');
/** Leaves room for `+` and a token in the 64 characters that are allowed before the @ (RFC 5321, section 4.5.3.1.1). */
const longestBounceName = 64 - 1 - returnTokenLength;
const bounceAddress = mailbox.check(
  z.refine(
    (value) => value.lastIndexOf('@') <= longestBounceName,
    `must have at most ${longestBounceName} characters before the @, because each email adds a token`,
  ),
);

/** Several hosts, separated by commas, serve one database: the one that accepts writes is used. */
const databaseUrl = z.string().check(
  z.check(({ value, issues }) => {
    const message = databaseUrlProblem(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  }),
);

/**
 * Every setting, by the name of its environment variable, with its format and default. A test checks that `.env.example`
 * lists the same names.
 */
export const settings = {
  NODE_ENV: z._default(choice('development', 'production', 'test'), 'development'),
  HOST: z._default(text, '127.0.0.1'),
  PORT: z._default(whole(0, 65_535), 3000),
  PUBLIC_URL: z.optional(origin),
  DATA_DIR: z._default(text, './data'),
  DATABASE_URL: z.optional(databaseUrl),
  DATABASE_POOL: z._default(whole(1, 1000), 10),
  ACTIVITY_RETENTION_DAYS: z._default(whole(1, 36_500), 365),
  AUDIT_RETENTION_DAYS: z.optional(whole(30, 36_500)),
  DELETION_GRACE_DAYS: z._default(whole(0, 365), 7),
  RECORDS_RETENTION_DAYS: z._default(whole(1, 36_500), 30),
  RECORDS_PER_COMPUTER: z._default(whole(100, 1_000_000), 10_000),
  RECORDS_PER_COMPUTER_PER_DAY: z._default(whole(100, 10_000_000), 20_000),
  RECORDS_PER_ACCOUNT_PER_DAY: z._default(whole(100, 100_000_000), 200_000),
  COMPUTERS_PER_ACCOUNT: z._default(whole(1, 100_000), 1000),
  BACKUP_DIR: z.optional(text),
  BACKUP_EVERY_HOURS: z._default(whole(1, 744), 24),
  BACKUPS_KEPT: z._default(whole(1, 1000), 7),
  SECRET_KEY: z.optional(secretKey),
  PREVIOUS_SECRET_KEY: z.optional(secretKey),
  PASSWORD_PEPPER: z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
  SMTP_URL: z.optional(text),
  DKIM_KEY: z.optional(text),
  DKIM_SELECTOR: z.optional(
    textLike(/^[a-z\d]([\w.-]*[a-z\d])?$/i, 'must be a name like key1, as in key1._domainkey.example.com'),
  ),
  MAIL_FROM: z.optional(text),
  MAIL_RETURN_PATH: z.optional(mailbox),
  BOUNCE_ADDRESS: z.optional(bounceAddress),
  BOUNCE_LISTEN: z.optional(ownPort),
  ...relaySettings,
  SUPPORT_EMAIL: z.optional(mailbox),
  PRIVACY_URL: z.optional(url('http:', 'https:')),
  TERMS_URL: z.optional(url('http:', 'https:')),
  PHONE_CONFIRMATION: z._default(choice('required', 'optional', 'off'), 'required'),
  PHONE_CONFIRMATION_BY_MAIL: z._default(choice('on', 'off'), 'off'),
  CONFIRMATION_WAYS: z.optional(
    listOf(
      z.enum(confirmationWays, { error: `must be some of ${confirmationWays.join(', ')}, separated by commas` }),
    ).check(z.minLength(1, `must name at least one of ${confirmationWays.join(', ')}`)),
  ),
  CALL_PROVIDERS: z._default(listOf(z.string()), []),
  CONFIRMATION_BUDGET_PER_DAY: z.optional(whole(1, 100_000_000)),
  CONFIRMATION_PRICES: z._default(priceList, {}),
  ALARM_CALLS: z._default(choice('on', 'off'), 'on'),
  SMS_SENDERS: z._default(senderList, {}),
  CALLS_PER_DAY: z._default(whole(1, 1_000_000), 1000),
  CALLS_PER_ADDRESS: z._default(whole(1, 1_000_000), 30),
  CALLS_PER_PREFIX: z._default(whole(1, 1_000_000), 10),
  CALLS_PER_COUNTRY: z.optional(whole(1, 1_000_000)),
  CALLS_PER_NETWORK: z._default(whole(1, 1_000_000), 20),
  CALL_COUNTRIES: z._default(
    listOf(textLike(isCountry, 'must be ISO 3166 codes of two capital letters, such as DE,GB, separated by commas')),
    [],
  ),
  ...callSettings,
  PLACES_FILE: z.optional(text),
  DEVICES: z._default(choice('on', 'off'), 'on'),
  SMARTPHONE_APP_URL: z.optional(url('https:')),
  PRIVATE_RECEIVERS: z._default(addressRanges, []),
  TELEGRAM_BOT_TOKEN: z.optional(textLike(/^\d+:[\w-]+$/, 'must be a token of @BotFather, such as 123456:AbC')),
  TELEGRAM_BOT_URL: z._default(apiUrl, 'https://api.telegram.org'),
  MAIL_CODE_SIGN_IN: z._default(choice('on', 'off'), 'on'),
  PASSKEYS: z._default(choice('on', 'off'), 'on'),
  WEBAUTHN_RP_ID: z.optional(domain),
  WEBAUTHN_RELATED_ORIGINS: z._default(listOf(origin), []),
  SECOND_STEP: z._default(choice('optional', 'required', 'off'), 'optional'),
  CONSOLE: z._default(choice('on', 'off'), 'on'),
  CONSOLE_ADDRESSES: z._default(addressRanges, []),
  CONSOLE_REASONS: z._default(choice('optional', 'required'), 'optional'),
  SECOND_STEP_REMOVAL_HOURS: z._default(whole(1, 8760), 24),
  ACCOUNT_DISCLOSURE: z._default(choice('uniform', 'explicit'), 'uniform'),
  PASSWORD_MIN_LENGTH: z._default(whole(passwordMinLength, 64), passwordMinLength),
  PRODUCT_NAME: z._default(text.check(z.maxLength(60, 'must have at most 60 characters')), 'Vestibule'),
  REGISTRATION_LEAD: z.optional(sentences),
  SIGN_IN_PANEL: z.optional(sentences),
  PRODUCT_URL: z.optional(url('http:', 'https:')),
  PLACE_ORIGINS: z._default(listOf(origin), []),
  EMAIL_BLOCKLIST: z._default(
    listOf(
      textLike(
        isBlockable,
        'must be email addresses and domains, such as mailinator.com,@example.org, separated by commas',
      ),
    ),
    [],
  ),
  REDIRECT_RULES: z.optional(text),
  CLIENTS_FILE: z.optional(text),
  TRUSTED_PROXIES: z._default(
    addressRanges.check(
      z.refine(
        (ranges) => !coverStrangers(ranges),
        'must not cover all addresses, nor a sixteenth of them: a trusted client can claim any address',
      ),
    ),
    [],
  ),
  SIGN_IN_FAILURES_PER_ADDRESS: z._default(whole(1, 100_000), 20),
  REGISTRATION_GUESSES_PER_ADDRESS: z._default(whole(1, 100_000), 100),
  ACCOUNTS_PER_ADDRESS: z._default(whole(1, 100_000), 30),
  RECOVERY_MAILS_PER_ACCOUNT: z._default(whole(1, 1000), 3),
  RECOVERY_MAILS_PER_ADDRESS: z._default(whole(1, 100_000), 30),
  WEBHOOKS_FILE: z.optional(text),
  METRICS_PORT: z.optional(whole(1, 65_535)),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(
    z.url({ protocol: /^https?$/, error: 'must be the URL of a collector, such as http://127.0.0.1:4318' }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: z._default(z.string(), ''),
  OTEL_SERVICE_NAME: z._default(z.string(), 'vestibule'),
  OTEL_TRACES_SAMPLER_ARG: z._default(
    z.pipe(z.string().check(z.regex(/^(?:0?\.\d+|[01])$/, 'must be a share from 0 to 1')), z.transform(Number)),
    1,
  ),
  LOG_LEVEL: z._default(choice('silent', 'error', 'warn', 'info', 'debug'), 'info'),
} as const;

function databaseUrlProblem(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//i.test(url)) return 'must be a URL that begins with postgres:// or postgresql://';
  const sign = rawSign(url);
  if (sign) return `has a ${sign} in the user name or the password: write it as ${encodeURIComponent(sign)}`;
  if (!isDecodable(url)) return 'has a % that is not part of %XX: write a % as %25';
  const hosts = hostsIn(url);
  if (!hosts.every((one) => URL.canParse(one))) return 'has a host or port that is not one';
  return parameterProblem(URL.parse(hosts[0] ?? url)?.searchParams ?? new URLSearchParams());
}

/** A sign before which `URL` ends the host, so that it parses `user:pass/word@host` wrongly or not at all. */
function rawSign(url: string): string | undefined {
  if (hostsIn(url).every((one) => URL.canParse(one))) return /^[a-z]+:\/\/[^/?#@:]+:\d+([/?#])[^@=]*@/i.exec(url)?.[1];
  return /^[a-z]+:\/\/[^@/?#]*([/?#])[^@]*@/i.exec(url)?.[1];
}

/** Bundlers remove a call of `decodeURI` whose result is unused. */
function isDecodable(text: string): boolean {
  try {
    return decodeURI(text) !== '';
  } catch {
    return false;
  }
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const sslSwitches = ['true', '1', '0'];

/** Those of libpq (PostgreSQL 18, section 32.1.2) and of node-postgres. */
const parameters = [
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile', 'require_auth', 'channel_binding'],
  ...['connect_timeout', 'client_encoding', 'options', 'application_name', 'fallback_application_name'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  ...['sslmode', 'sslnegotiation', 'sslcompression', 'sslcert', 'sslkey', 'sslpassword', 'sslcertmode', 'sslrootcert'],
  ...['sslcrl', 'sslcrldir', 'sslsni', 'ssl_min_protocol_version', 'ssl_max_protocol_version', 'requirepeer'],
  ...['gssencmode', 'krbsrvname', 'gsslib', 'gssdelegation', 'service', 'target_session_attrs', 'load_balance_hosts'],
  ...['min_protocol_version', 'max_protocol_version', 'ssl', 'uselibpqcompat', 'statement_timeout', 'lock_timeout'],
  ...['idle_in_transaction_session_timeout', 'query_timeout', 'keepAlive', 'keepAliveInitialDelayMillis'],
];

/** node-postgres ignores unknown parameters: after `ssl_mode=verify-full`, it would connect without TLS. */
function parameterProblem(given: URLSearchParams): string | undefined {
  const names = [...given.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) return `has an unknown parameter ${unknown}`;
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) return `has ${twice} twice`;
  const mode = given.get('sslmode');
  if (mode !== null && !sslModes.includes(mode))
    return `has sslmode=${mode}, which must be one of ${sslModes.join(', ')}`;
  const ssl = given.get('ssl');
  if (ssl !== null && !sslSwitches.includes(ssl)) return `has ssl=${ssl}: use sslmode=verify-full or sslmode=disable`;
  return undefined;
}
