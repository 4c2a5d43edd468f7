import { BlockList, isIP } from 'node:net';
import * as z from 'zod/mini';
import { passwordMinLength } from '../contract/limits.ts';
import { isLoopbackHost } from '../contract/loopback.ts';
import type { PageSettings } from '../contract/settings.ts';
import { callSettings, openCallProviders } from '../phone-calls/providers.ts';

const text = z.string().check(z.minLength(1));
const whole = (from: number, to: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d+$/, 'must be a whole number')),
    z.pipe(
      z.transform(Number),
      z.number().check(z.minimum(from, `must be at least ${from}`), z.maximum(to, `must be at most ${to}`)),
    ),
  );
const url = (...schemes: string[]) =>
  z.string().check(
    z.refine(
      (value) => {
        const parsed = URL.parse(value);
        return parsed !== null && schemes.includes(parsed.protocol);
      },
      `must be a URL that begins with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`,
    ),
  );
const origin = z.pipe(
  url('http:', 'https:'),
  z.transform((value) => new URL(value).origin),
);
const list = z.transform((value: string) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
const addressRange = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i;

/**
 * Every setting: its form and what it means. The name is the environment variable's; `.env.example` is
 * checked against this list.
 */
const settings = {
  NODE_ENV: z._default(z.enum(['development', 'production', 'test']), 'development'),
  HOST: z._default(text, '127.0.0.1'),
  PORT: z._default(whole(0, 65_535), 3000),
  PUBLIC_URL: z.optional(origin),
  DATA_DIR: z._default(text, './data'),
  DATABASE_URL: z.optional(url('postgres:', 'postgresql:')),
  SECRET_KEY: z.optional(z.string().check(z.minLength(32, 'must have at least 32 characters'))),
  PASSWORD_PEPPER: z.optional(z.string().check(z.minLength(16, 'must have at least 16 characters'))),
  SMTP_URL: z.optional(url('smtp:', 'smtps:')),
  MAIL_FROM: z.optional(z.string().check(z.regex(/@/, 'must be an e-mail address'))),
  SUPPORT_EMAIL: z.optional(z.string().check(z.regex(/@/, 'must be an e-mail address'))),
  PHONE_CONFIRMATION: z._default(z.enum(['required', 'optional', 'off']), 'required'),
  PHONE_CONFIRMATION_BY_MAIL: z._default(z.enum(['on', 'off']), 'off'),
  CALL_PROVIDERS: z._default(z.pipe(text, list), []),
  CALLS_PER_DAY: z._default(whole(1, 1_000_000), 1000),
  ...callSettings,
  ACCOUNT_DISCLOSURE: z._default(z.enum(['uniform', 'explicit']), 'uniform'),
  PASSWORD_MIN_LENGTH: z._default(whole(passwordMinLength, 64), passwordMinLength),
  PRODUCT_NAME: z._default(text.check(z.maxLength(60)), 'Vestibule'),
  PRODUCT_URL: z.optional(url('http:', 'https:')),
  PLACE_ORIGINS: z._default(z.pipe(z.pipe(text, list), z.array(origin)), []),
  EMAIL_BLOCKLIST: z._default(z.pipe(text, list), []),
  REDIRECT_RULES: z.optional(text),
  TRUSTED_PROXIES: z._default(
    z.pipe(
      z.pipe(text, list),
      z.array(z.string().check(z.refine(isAddressRange, 'must be addresses or CIDR ranges, separated by commas'))),
    ),
    [],
  ),
  SIGN_IN_FAILURES_PER_ADDRESS: z._default(whole(1, 100_000), 20),
  REGISTRATION_GUESSES_PER_ADDRESS: z._default(whole(1, 100_000), 100),
  ACCOUNTS_PER_ADDRESS: z._default(whole(1, 100_000), 30),
  RECOVERY_MAILS_PER_ACCOUNT: z._default(whole(1, 1000), 3),
  METRICS_PORT: z.optional(whole(1, 65_535)),
  LOG_LEVEL: z._default(z.enum(['silent', 'error', 'warn', 'info', 'debug']), 'info'),
} as const;

const schema = z.object(settings);
type Environment = z.output<typeof schema>;

export const settingNames = Object.keys(settings) as (keyof Environment)[];

export type Config = Omit<Environment, 'PUBLIC_URL' | 'MAIL_FROM'> & {
  readonly PUBLIC_URL: string;
  readonly MAIL_FROM: string;
  /** Whether mails or calls go to the development inbox, because nothing else is connected. */
  readonly developmentInbox: boolean;
};

/** A setting that cannot be used; the message names it and says what it must be. */
export class SettingsError extends Error {}

/** Reads every setting, or throws a `SettingsError` that lists each one that is wrong. An empty value counts as absent. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    settingNames.flatMap((name) => (environment[name]?.trim() ? [[name, environment[name].trim()]] : [])),
  );
  const read = schema.safeParse(given);
  if (!read.success) {
    const wrong = read.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
    throw new SettingsError([...new Set(wrong)].join('\n'));
  }
  const config = read.data;
  const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`;
  const complete = {
    ...config,
    PUBLIC_URL: publicUrl,
    MAIL_FROM: config.MAIL_FROM ?? `no-reply@${new URL(publicUrl).hostname}`,
    developmentInbox: config.SMTP_URL === undefined || needsDevelopmentPhone(config),
  };
  checkCallProviders(complete);
  if (config.NODE_ENV === 'production') refuseDevelopmentDefaults(complete);
  return complete;
}

const needsDevelopmentPhone = (config: Pick<Config, 'PHONE_CONFIRMATION' | 'CALL_PROVIDERS'>): boolean =>
  config.PHONE_CONFIRMATION !== 'off' && config.CALL_PROVIDERS.length === 0;

/** Each provider says itself which of its settings are missing. */
function checkCallProviders(config: Config): void {
  try {
    openCallProviders(config.CALL_PROVIDERS, config);
  } catch (cause) {
    throw new SettingsError((cause as Error).message, { cause });
  }
}

/** What is convenient on a developer's machine and dangerous on a public one. */
function refuseDevelopmentDefaults(config: Config): void {
  const missing: string[] = [];
  if (config.SMTP_URL === undefined) missing.push('SMTP_URL: must be set in production, else nobody receives mail');
  if (needsDevelopmentPhone(config)) {
    missing.push('CALL_PROVIDERS: must be set in production, or PHONE_CONFIRMATION=off');
  }
  if (config.DATABASE_URL && !config.SECRET_KEY) {
    missing.push('SECRET_KEY: must be set in production with DATABASE_URL, else the signing keys are kept unsealed');
  }
  const { protocol, hostname } = new URL(config.PUBLIC_URL);
  if (protocol !== 'https:' && !isLoopbackHost(hostname))
    missing.push('PUBLIC_URL: must begin with https:// in production');
  if (missing.length > 0) throw new SettingsError(missing.join('\n'));
}

function isAddressRange(range: string): boolean {
  const [, address = '', prefix] = addressRange.exec(range) ?? [];
  const family = isIP(address);
  return family !== 0 && (prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128));
}

/** Whether an address is one of the ranges'. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const matches = new BlockList();
  for (const range of ranges) {
    const [, address = '', prefix] = addressRange.exec(range) ?? [];
    const [family, whole] = isIP(address) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const);
    matches.addSubnet(address, prefix === undefined ? whole : Number(prefix), family);
  }
  return (address) => matches.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

/** What a page may know of the settings. */
export const pageSettings = (config: Config, { phoneVoice }: { phoneVoice: boolean }): PageSettings => ({
  productName: config.PRODUCT_NAME,
  publicUrl: config.PUBLIC_URL,
  supportEmail: config.SUPPORT_EMAIL,
  passwordMinLength: config.PASSWORD_MIN_LENGTH,
  phoneConfirmation: config.PHONE_CONFIRMATION,
  phoneVoice,
  phoneMail: config.PHONE_CONFIRMATION_BY_MAIL === 'on',
  redirectRules: config.REDIRECT_RULES !== undefined,
  developmentInbox: config.developmentInbox,
});
