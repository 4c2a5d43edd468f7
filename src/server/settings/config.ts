import { isIP } from 'node:net';
import * as z from 'zod/mini';
import { isLoopbackHost } from '../../contract/pages.ts';
import { SettingsError, type SiteSettings, settingProblems } from '../../contract/settings.ts';
import { readRedirectRules } from '../../http/pages/redirect-rules.ts';
import { readMailbox, readMailFrom } from '../../outbox/domains/addresses.ts';
import { readDkim } from '../../outbox/smtp/dkim.ts';
import { readSmtpUrl } from '../../outbox/smtp/smtp-dialogue.ts';
import type { Calls } from '../../phone-calls/calls.ts';
import { budgetOf } from '../../phone-calls/prices.ts';
import { offeredWays, openCallProviders, supports } from '../../phone-calls/providers.ts';
import type { RelyingParty } from '../../security/web-authn/web-authn.ts';
import { readReceivers } from '../../webhooks/receivers.ts';
import { readClientsFile } from './clients-file.ts';
import { misspelledNames, namesInFile } from './environment.ts';
import { settings } from './settings.ts';

const schema = z.object(settings);
type ParsedSettings = z.output<typeof schema>;
type Environment = Readonly<Record<string, string | undefined>>;

export const settingNames = Object.keys(settings) as (keyof ParsedSettings)[];

export type Config = Omit<ParsedSettings, 'PUBLIC_URL' | 'MAIL_FROM'> & {
  readonly PUBLIC_URL: string;
  readonly MAIL_FROM: string;
  /** Whether emails or calls go to the development inbox, because no mail server or call provider is set. */
  readonly developmentInbox: boolean;
  /** The relying party of passkeys; undefined if they are off. */
  readonly relyingParty: RelyingParty | undefined;
};

/** Reads all settings, or throws a `SettingsError` that lists every invalid one. An empty value counts as absent. */
export function readConfig(environment: Environment): Config {
  const given = Object.fromEntries(
    settingNames.flatMap((name) => (environment[name]?.trim() ? [[name, environment[name].trim()]] : [])),
  );
  const wrong = wrongForms(given);
  const nameOf = (problem: string) => problem.split(':', 1)[0] ?? '';
  const isWrong = new Set(wrong.map(nameOf));
  // Valid settings are checked together even if others are invalid, so that one error lists all problems.
  const usable = schema.parse(Object.fromEntries(Object.entries(given).filter(([name]) => !isWrong.has(name))));
  const config = complete(usable);
  const together = settingProblems(
    () => config.SMTP_URL && readSmtpUrl(config.SMTP_URL),
    () => readDkim(config),
    () => readSender(config, usable),
    () => refuseUnsupportedWays(config),
    () => refusePricesBeyondBudget(config),
    () => readRedirectRules(config.REDIRECT_RULES, config.PUBLIC_URL),
    () => readReceivers(config.WEBHOOKS_FILE),
    () => refuseForeignRelyingParty(config),
    () => config.CLIENTS_FILE && readClientsFile(config.CLIENTS_FILE),
    () => refuseCombinations(config, usable),
  );
  const problems = [
    ...misspelledNames(environment, settingNames),
    ...wrong,
    ...together.filter((problem) => !isWrong.has(nameOf(problem))),
  ];
  if (problems.length > 0) throw new SettingsError(problems);
  return config;
}

function wrongForms(given: Readonly<Record<string, string>>): string[] {
  const { error } = schema.safeParse(given);
  // A value can break several rules; the first says enough.
  const first = new Map((error?.issues ?? []).toReversed().map(({ path: [name], message }) => [String(name), message]));
  return [...first].map(([name, message]) => `${name}: ${message}`).reverse();
}

function complete(given: ParsedSettings): Config {
  const publicUrl = given.PUBLIC_URL ?? `http://localhost:${given.PORT}`;
  return {
    ...given,
    // A URL has brackets around an IPv6 address, a socket does not.
    HOST: given.HOST.replace(/^\[(.+)\]$/, '$1'),
    PUBLIC_URL: publicUrl,
    MAIL_FROM: given.MAIL_FROM ?? `no-reply@${hostOf(publicUrl)}`,
    developmentInbox: given.SMTP_URL === undefined || needsDevelopmentPhone(given),
    relyingParty: relyingPartyOf(given, publicUrl),
  };
}

/** An IP address cannot be the domain of an email address. */
function hostOf(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : 'localhost';
}

/** Checks MAIL_FROM; without it, an odd host in PUBLIC_URL is the cause, which its own message would not name. */
function readSender({ MAIL_FROM, PRODUCT_NAME }: Config, given: ParsedSettings): void {
  if (given.MAIL_FROM === undefined && !readMailbox(MAIL_FROM))
    throw new SettingsError(
      'MAIL_FROM: must be set, because the host in PUBLIC_URL cannot be the domain of an address',
    );
  readMailFrom(MAIL_FROM, PRODUCT_NAME);
}

/** Refuses a listed method that no provider supports: otherwise it would silently be missing. */
function refuseUnsupportedWays(config: ParsedSettings): void {
  const providers = openCallProviders(config.CALL_PROVIDERS, config);
  const impossible = (config.CONFIRMATION_WAYS ?? []).filter((way) =>
    way === 'mail'
      ? config.PHONE_CONFIRMATION_BY_MAIL === 'off'
      : providers.length > 0 && !providers.some((provider) => supports(provider, way)),
  );
  if (impossible.length === 0) return;
  throw new SettingsError(
    impossible.map((way) =>
      way === 'mail'
        ? 'CONFIRMATION_WAYS: lists mail, which requires PHONE_CONFIRMATION_BY_MAIL=on'
        : `CONFIRMATION_WAYS: lists ${way}, which no provider in CALL_PROVIDERS supports`,
    ),
  );
}

const needsDevelopmentPhone = (config: Pick<ParsedSettings, 'PHONE_CONFIRMATION' | 'CALL_PROVIDERS'>): boolean =>
  config.PHONE_CONFIRMATION !== 'off' && config.CALL_PROVIDERS.length === 0;

/** Refuses what works alone and not together, and defaults that are dangerous on a public machine. */
function refuseCombinations(config: Config, given: ParsedSettings): void {
  const { PORT, METRICS_PORT, BOUNCE_ADDRESS, BOUNCE_LISTEN, MAIL_RETURN_PATH, DATABASE_URL } = config;
  const { protocol, hostname } = new URL(config.PUBLIC_URL);
  const isLocal = isLoopbackHost(hostname);
  const inProduction = config.NODE_ENV === 'production';
  const rules: [isBroken: unknown, problem: string][] = [
    // The error of the second server on a port would blame another process.
    [METRICS_PORT === PORT, `METRICS_PORT: must not be ${PORT}, which is PORT`],
    [BOUNCE_LISTEN?.port === PORT, `BOUNCE_LISTEN: must not use port ${PORT}, which is PORT`],
    [
      METRICS_PORT !== undefined && BOUNCE_LISTEN?.port === METRICS_PORT,
      `BOUNCE_LISTEN: must not use port ${METRICS_PORT}, which is METRICS_PORT`,
    ],
    [
      config.BACKUP_DIR && DATABASE_URL,
      'BACKUP_DIR: works only with SQLite; back up PostgreSQL with pg_dump or its own tools',
    ],
    [BOUNCE_LISTEN && !BOUNCE_ADDRESS, 'BOUNCE_ADDRESS: must be set, because BOUNCE_LISTEN is set'],
    [BOUNCE_ADDRESS && MAIL_RETURN_PATH, 'MAIL_RETURN_PATH: must not be set, because BOUNCE_ADDRESS replaces it'],
    [inProduction && !config.SMTP_URL, 'SMTP_URL: must be set in production, otherwise no email is delivered'],
    [
      inProduction && needsDevelopmentPhone(config),
      'CALL_PROVIDERS: must be set in production unless PHONE_CONFIRMATION=off, otherwise no call is placed',
    ],
    [
      inProduction && DATABASE_URL && !config.SECRET_KEY,
      'SECRET_KEY: must be set in production with DATABASE_URL, otherwise the signing keys are stored unsealed',
    ],
    [
      inProduction && !given.PUBLIC_URL,
      'PUBLIC_URL: must be set in production, otherwise links and cookies are for localhost',
    ],
    [inProduction && protocol !== 'https:' && !isLocal, 'PUBLIC_URL: must begin with https:// in production'],
    // In development, the inbox shows every email and call, with its link or code, to anyone who can reach this machine.
    [
      config.NODE_ENV === 'development' && !isLocal,
      'NODE_ENV: must be production, because PUBLIC_URL is not an address of this machine',
    ],
  ];
  const problems = rules.filter(([isBroken]) => isBroken).map(([, problem]) => problem);
  if (problems.length > 0) throw new SettingsError(problems);
}

/** An attempt that costs more than the daily budget would always be refused. */
function refusePricesBeyondBudget(config: Config): void {
  const budget = budgetOf(config);
  const problems = Object.entries(config.CONFIRMATION_PRICES)
    .filter(([, units]) => units > budget)
    .map(([what]) => `CONFIRMATION_PRICES: ${what} costs more than the daily budget of ${budget} units`);
  if (problems.length > 0) throw new SettingsError(problems);
}

export const pageSettings = (config: Config, calls: Pick<Calls, 'ways' | 'spokenLanguages'>): SiteSettings => ({
  productName: config.PRODUCT_NAME,
  publicUrl: config.PUBLIC_URL,
  supportEmail: config.SUPPORT_EMAIL,
  privacyUrl: config.PRIVACY_URL,
  termsUrl: config.TERMS_URL,
  passwordMinLength: config.PASSWORD_MIN_LENGTH,
  phoneConfirmation: config.PHONE_CONFIRMATION,
  phoneWays: offeredWays(config, calls.ways),
  phoneVoice: calls.spokenLanguages,
  ownTexts: {
    'register.lead': config.REGISTRATION_LEAD,
    'register.description': config.REGISTRATION_LEAD,
    'sign_in.panel': config.SIGN_IN_PANEL,
  },
  devices: config.DEVICES === 'on',
  smartphoneApp: config.SMARTPHONE_APP_URL,
  mailCode: config.MAIL_CODE_SIGN_IN === 'on',
  passkeys: config.relyingParty !== undefined,
  secondStep: config.SECOND_STEP !== 'off',
  redirectRules: config.REDIRECT_RULES !== undefined,
  secondStepRemovalHours: config.SECOND_STEP_REMOVAL_HOURS,
  deletionGraceDays: config.DELETION_GRACE_DAYS,
  // With a mail server, only calls arrive there: its banner would be wrong about emails.
  developmentInbox: config.SMTP_URL === undefined,
});

type SettingsWarning = Pick<Config, 'NODE_ENV' | 'PHONE_CONFIRMATION' | 'CALL_COUNTRIES'>;

/** Warnings about valid but risky settings, logged when the service starts. */
export function configWarnings({ NODE_ENV, PHONE_CONFIRMATION, CALL_COUNTRIES }: SettingsWarning): string[] {
  const callsEverywhere = NODE_ENV === 'production' && PHONE_CONFIRMATION !== 'off' && CALL_COUNTRIES.length === 0;
  return callsEverywhere
    ? [
        'CALL_COUNTRIES is not set: calls are placed to every country, under the stricter limits against toll fraud; list the countries where you do business',
      ]
    : [];
}

interface PasskeySettings {
  readonly PASSKEYS: 'on' | 'off';
  readonly WEBAUTHN_RP_ID?: string | undefined;
  readonly WEBAUTHN_RELATED_ORIGINS: readonly string[];
}

/**
 * The domain that passkeys belong to, and the origins that may use them. Undefined if they are off, or the host is an IP
 * address, for which browsers create no passkeys.
 */
function relyingPartyOf(settings: PasskeySettings, publicUrl: string): RelyingParty | undefined {
  const { PASSKEYS, WEBAUTHN_RP_ID, WEBAUTHN_RELATED_ORIGINS } = settings;
  const { hostname } = new URL(publicUrl);
  if (PASSKEYS === 'off' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return undefined;
  return { id: WEBAUTHN_RP_ID ?? hostname, origins: [...new Set([publicUrl, ...WEBAUTHN_RELATED_ORIGINS])] };
}

/** Browsers refuse a domain that is neither the host nor above it, unless that domain lists our origin. */
function refuseForeignRelyingParty(settings: PasskeySettings & { readonly PUBLIC_URL: string }): void {
  const { WEBAUTHN_RP_ID: id, WEBAUTHN_RELATED_ORIGINS: related, PUBLIC_URL } = settings;
  const { hostname } = new URL(PUBLIC_URL);
  if (id === undefined || hostname === id || hostname.endsWith(`.${id}`) || related.includes(PUBLIC_URL)) return;
  throw new SettingsError([
    `WEBAUTHN_RP_ID: must be ${hostname} or a domain above it; if ${id} lists ${PUBLIC_URL} in its /.well-known/webauthn, also add that origin to WEBAUTHN_RELATED_ORIGINS`,
  ]);
}

export interface SettingInForce {
  readonly name: string;
  /** Null if it is not set, or secret. */
  readonly value: string | null;
  readonly from: 'environment' | 'file' | 'default';
  readonly secret: boolean;
  /** With secrets, to notice a change; never shown. */
  readonly text: string;
}

/** Names of settings with secrets. A test lists them all, so that each new setting is one or not. */
export const isSecret = (name: string): boolean =>
  /SECRET|PEPPER|TOKEN|PASSWORD$|_KEY$|_SID$|_ID$|HEADERS|_LOGIN$|_USER$/.test(name) && name !== 'WEBAUTHN_RP_ID';

/** Users and passwords in URLs. */
const withoutUsers = (text: string): string =>
  text.replaceAll(/(\w+:\/\/)[^/\s]*@/g, '$1…@').replaceAll(/(password|secret|key|token)=[^&\s]*/gi, '$1=…');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Every setting, and where its value comes from. */
export function settingsInForce(config: Config): readonly SettingInForce[] {
  const inFile = namesInFile();
  return settingNames.map((name) => {
    const text = textOf(config[name]);
    const secret = isSecret(name);
    return {
      name,
      value: secret || text === '' ? null : withoutUsers(text),
      from: sourceOf(name, { text, inFile }),
      secret,
      text,
    };
  });
}

function sourceOf(
  name: (typeof settingNames)[number],
  { text, inFile }: { text: string; inFile: ReadonlySet<string> },
): SettingInForce['from'] {
  if (process.env[name]?.trim()) return 'environment';
  if (inFile.has(name)) return 'file';
  const { data } = settings[name].safeParse(undefined);
  return text === textOf(data) || text === '' ? 'default' : 'environment';
}
