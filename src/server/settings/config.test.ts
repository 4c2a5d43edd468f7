import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readConfig, settingNames } from './config.ts';

describe('the settings', () => {
  test('are all optional', () =>
    expect(readConfig({})).toMatchObject({ PORT: 3000, PUBLIC_URL: 'http://localhost:3000', developmentInbox: true }));

  test('HOST may have the brackets of an IPv6 address', () => expect(readConfig({ HOST: '[::1]' }).HOST).toBe('::1'));

  test.each<[Record<string, string>, RegExp]>([
    [{ PORT: 'x' }, /^PORT: must be a whole number$/],
    [
      { PORT: '70000', PASSWORD_MIN_LENGTH: '5' },
      /^PORT: must be at most 65535\nPASSWORD_MIN_LENGTH: must be at least 6$/,
    ],
    [{ PUBLIC_URL: 'localhost' }, /^PUBLIC_URL: must be a URL/],
    [{ PUBLIC_URL: 'door.example:8080' }, /^PUBLIC_URL: must be a URL[^\n]*$/],
    [{ PUBLIC_URL: 'https://door.example/account/' }, /^PUBLIC_URL: must be an origin without a path/],
    [{ PUBLIC_URL: 'https://:secret@door.example' }, /^PUBLIC_URL: must be an origin without a path/],
    [{ PUBLIC_URL: 'http://a_b.localhost' }, /^MAIL_FROM: must be set, because the host in PUBLIC_URL cannot/],
    [{ PORT: '3001', METRICS_PORT: '3001' }, /^METRICS_PORT: must not be 3001, which is PORT$/],
    [
      { METRICS_PORT: '2525', BOUNCE_LISTEN: '127.0.0.1:2525', BOUNCE_ADDRESS: 'b@door.example' },
      /^BOUNCE_LISTEN: must not use port 2525, which is METRICS_PORT$/,
    ],
    [{ TRUSTED_PROXY: '10.0.0.1' }, /^TRUSTED_PROXY: unknown setting; did you mean TRUSTED_PROXIES\?$/],
    [{ PRODUCT_NAMES: 'Door' }, /^PRODUCT_NAMES: .* did you mean PRODUCT_NAME\?$/],
    [{ PORTS: '80' }, /^PORTS: .* did you mean PORT\?$/],
    [{ PUBLIC_URI: 'https://door.example' }, /^PUBLIC_URI: unknown setting; did you mean PUBLIC_URL\?$/],
    [{ MIAL_FROM: 'door@door.example', PORT: 'x' }, /^MIAL_FROM: .* did you mean MAIL_FROM\?\nPORT: must be a whole/],
    [{ PHONE_CONFIRMATION: 'yes' }, /^PHONE_CONFIRMATION: must be required, optional or off$/],
    [{ PASSKEYS: 'yes' }, /^PASSKEYS: must be on or off$/],
    [{ WEBAUTHN_RP_ID: 'https://door.example' }, /^WEBAUTHN_RP_ID: must be a domain in lower case/],
    [
      { WEBAUTHN_RP_ID: 'example.org', PUBLIC_URL: 'http://door.localhost' },
      /^WEBAUTHN_RP_ID: must be door\.localhost or a domain above it/,
    ],
    [{ WEBAUTHN_RP_ID: 'ocalhost' }, /^WEBAUTHN_RP_ID: must be localhost or/],
    [{ WEBAUTHN_RELATED_ORIGINS: 'https://a.example/b' }, /^WEBAUTHN_RELATED_ORIGINS: must be an origin/],
    [{ SMTP_URL: 'smtp://me@isp.example:secret@mail.example' }, /^SMTP_URL: an @ in the user name .* %40$/],
    [{ SMTP_URL: 'smtp://me:Ab/cd@mail.example' }, /^SMTP_URL: a \/ in the user name .* %2F$/],
    [{ SMTP_URL: 'smtp://me:12#cd@mail.example' }, /^SMTP_URL: a # in the user name .* %23$/],
    [{ SMTP_URL: 'smtp://me:12?cd@mail.example' }, /^SMTP_URL: a \? in the user name .* %3F$/],
    [{ SMTP_URL: 'smtp://:secret@mail.example' }, /^SMTP_URL: has a password, but no user name/],
    [{ SMTP_URL: 'smtp://mail.example:0' }, /^SMTP_URL: must end with the host or its port/],
    [{ SMTP_URL: 'smtp://mail.example/inbox' }, /^SMTP_URL: must end with the host or its port/],
    [{ SMTP_URL: 'https://mail.example' }, /^SMTP_URL: must be smtp:\/\/host:port or smtps:/],
    [{ SMTP_URL: 'smtp://mail.example?tls=maybe' }, /^SMTP_URL: supports only \?tls=required and \?tls=optional$/],
    [{ SMTP_URL: 'smtp://me:100%@mail.example' }, /^SMTP_URL: a % in the user name .* %25$/],
    [
      { SMTP_URL: 'smtp:/x', MAIL_FROM: 'door', REDIRECT_RULES: 'no-such-file.json' },
      /^SMTP_URL: must be .*\nMAIL_FROM: must be one email address.*\nREDIRECT_RULES: no-such-file\.json cannot be read \(ENOENT\)/,
    ],
    [
      { PUBLIC_URL: 'https://door.example/account/', SMTP_URL: 'smtp:/x', NODE_ENV: 'production' },
      /^PUBLIC_URL: must be an origin.*\nSMTP_URL: must be .*\nCALL_PROVIDERS: must be set in production[^\n]*$/,
    ],
    [{ MAIL_FROM: 'a@b.example, c@d.example' }, /^MAIL_FROM: must be one email address/],
    [{ MAIL_FROM: 'Door <door@door.example' }, /^MAIL_FROM: must be one email address/],
    [{ SUPPORT_EMAIL: 'Help <help@door.example>' }, /^SUPPORT_EMAIL: must be an email address/],
    [{ SUPPORT_EMAIL: 'help@door..example' }, /^SUPPORT_EMAIL: must be an email address/],
    [{ MAIL_RETURN_PATH: 'bounces@' }, /^MAIL_RETURN_PATH: must be an email address/],
    [{ BOUNCE_ADDRESS: 'bounces-of-our-own-mail@door.example' }, /^BOUNCE_ADDRESS: must have at most 21 characters/],
    [{ BOUNCE_LISTEN: '127.0.0.1:2525' }, /^BOUNCE_ADDRESS: must be set, because BOUNCE_LISTEN is/],
    [{ BOUNCE_LISTEN: '192.0.2.1:2525', BOUNCE_ADDRESS: 'b@door.example' }, /^BOUNCE_LISTEN: must be a port on this/],
    [{ BOUNCE_LISTEN: '2525', BOUNCE_ADDRESS: 'b@door.example' }, /^BOUNCE_LISTEN: must be a port on this machine/],
    [{ BOUNCE_LISTEN: 'lmtp://192.0.2.1:24', BOUNCE_ADDRESS: 'b@door.example' }, /^BOUNCE_LISTEN: must be a port/],
    [{ BOUNCE_LISTEN: 'pop3://127.0.0.1:24', BOUNCE_ADDRESS: 'b@door.example' }, /^BOUNCE_LISTEN: must be a port/],
    [{ BOUNCE_LISTEN: 'localhost:2525/x', BOUNCE_ADDRESS: 'b@door.example' }, /^BOUNCE_LISTEN: must be a port on this/],
    [{ BOUNCE_ADDRESS: 'b@door.example', MAIL_RETURN_PATH: 'c@door.example' }, /^MAIL_RETURN_PATH: must not be set/],
    [{ BACKUP_DIR: '/b', DATABASE_URL: 'postgres://db.example/v' }, /^BACKUP_DIR: works only with SQLite/],
    [{ DATABASE_URL: 'postgres://user:100%@db.example/v' }, /^DATABASE_URL: has a % that is not part of %XX/],
    [{ DATABASE_URL: 'postgres://db.example/v%' }, /^DATABASE_URL: has a % that is not part of %XX/],
    [{ DATABASE_URL: 'postgres://user:%ff@db.example/v' }, /^DATABASE_URL: has a % that is not part of %XX/],
    [{ DATABASE_URL: 'postgres://user:ab/cd==@db.example/v' }, /^DATABASE_URL: has a \/ in the user name .* %2F$/],
    [{ DATABASE_URL: 'postgres://user:12/ab@db.example/v' }, /^DATABASE_URL: has a \/ in the user name .* %2F$/],
    [{ DATABASE_URL: 'postgres://user:12#ab@db.example/v' }, /^DATABASE_URL: has a # in the user name .* %23$/],
    [{ DATABASE_URL: 'postgres://user:a?b@one,two/v' }, /^DATABASE_URL: has a \? in the user name .* %3F$/],
    [{ DATABASE_URL: 'postgres://db.example:99999/v' }, /^DATABASE_URL: has a host or port that is not one$/],
    [{ DATABASE_URL: 'postgres://user:a@one:5432, two/v' }, /^DATABASE_URL: has a host or port that is not one$/],
    [{ DATABASE_URL: 'postgres://db.example/v?ssl_mode=require' }, /^DATABASE_URL: has an unknown parameter ssl_mode$/],
    [{ DATABASE_URL: 'postgres://one,two/v?sslMode=require' }, /^DATABASE_URL: has an unknown parameter sslMode$/],
    [{ DATABASE_URL: 'postgres://db.example/v?sslmode=full' }, /^DATABASE_URL: has sslmode=full, which must be one of/],
    [
      { DATABASE_URL: 'postgres://db.example/v?sslmode=verify-full&sslmode=disable' },
      /^DATABASE_URL: .*sslmode twice$/,
    ],
    [{ DATABASE_URL: 'postgres://db.example/v?ssl=verify-full' }, /^DATABASE_URL: .*: use sslmode=verify-full or /],
    [{ DATABASE_URL: 'mysql://x' }, /^DATABASE_URL: must be a URL that begins with postgres:\/\//],
    [{ SECRET_KEY: 'short' }, /^SECRET_KEY: must have at least 32/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT: must be the URL of a collector/],
    [{ OTEL_TRACES_SAMPLER_ARG: '50%' }, /^OTEL_TRACES_SAMPLER_ARG: must be a share from 0 to 1$/],
    [{ TRUSTED_PROXIES: '10.0.0.0/40' }, /^TRUSTED_PROXIES: must be addresses/],
    ...[
      '0.0.0.0/0',
      '::/0',
      '0.0.0.0/1,128.0.0.0/1',
      '::/1, 8000::/1',
      '2000::/3',
      '::ffff:0:0/96',
      '::ffff:64.0.0.0/98',
      '::/64',
    ].map((TRUSTED_PROXIES): [Record<string, string>, RegExp] => [
      { TRUSTED_PROXIES },
      /^TRUSTED_PROXIES: must not cover all addresses/,
    ]),
    [
      { TRUSTED_PROXIES: Array.from({ length: 64 }, (_, at) => `${at * 4}.0.0.0/10`).join(',') },
      /^TRUSTED_PROXIES: must not cover all addresses/,
    ],
    ...['@', 'mailinator.com,anna@', '*.example.com', '@@example.com', 'one.example two.example', 'example'].map(
      (EMAIL_BLOCKLIST): [Record<string, string>, RegExp] => [
        { EMAIL_BLOCKLIST },
        /^EMAIL_BLOCKLIST: must be email addresses and domains/,
      ],
    ),
    [
      { NODE_ENV: 'production', SMTP_URL: 'smtps://mail.example', PHONE_CONFIRMATION: 'off' },
      /^PUBLIC_URL: must be set in production/,
    ],
    [{ PLACE_ORIGINS: 'https://a.example,nonsense' }, /^PLACE_ORIGINS: must be a URL/],
    [{ PLACE_ORIGINS: 'https://*.a.example' }, /^PLACE_ORIGINS: must be an origin without a path or a \*/],
    [{ CALL_PROVIDERS: 'webhook' }, /^WEBHOOK_CALL_URL: must be set.*\nWEBHOOK_CALL_SECRET: must be set/],
    [{ CALL_PROVIDERS: 'carrier-pigeon' }, /^CALL_PROVIDERS: knows/],
    [{ CONFIRMATION_PRICES: 'pigeon:1' }, /^CONFIRMATION_PRICES: must be prices in whole units/],
    [{ CONFIRMATION_PRICES: 'smsru/mail:1' }, /^CONFIRMATION_PRICES: must be prices in whole units/],
    [{ CONFIRMATION_PRICES: 'smsru:0.5' }, /^CONFIRMATION_PRICES: must be prices in whole units/],
    [
      { CONFIRMATION_PRICES: 'smsru/sms:6,twilio:4', CONFIRMATION_BUDGET_PER_DAY: '5' },
      /^CONFIRMATION_PRICES: smsru\/sms costs more than the daily budget of 5 units$/,
    ],
    [{ CONFIRMATION_WAYS: ',' }, /^CONFIRMATION_WAYS: must name at least one of ring, voice/],
    [{ CALL_COUNTRIES: 'DE,UK' }, /^CALL_COUNTRIES: must be ISO 3166 codes .* such as DE,GB/],
    [{ CALL_COUNTRIES: 'de' }, /^CALL_COUNTRIES: must be ISO 3166 codes/],
    [{ REGISTRATION_LEAD: 'x'.repeat(201) }, /^REGISTRATION_LEAD: must be a sentence of at most 200 characters/],
    [{ SIGN_IN_PANEL: '{"en":"One login."' }, /^SIGN_IN_PANEL: .* or JSON with one for each language/],
    [{ SIGN_IN_PANEL: '{"xx":"One login."}' }, /^SIGN_IN_PANEL: .* or JSON with one for each language/],
    [{ PRODUCT_NAME: 'x'.repeat(61) }, /^PRODUCT_NAME: must have at most 60 characters$/],
    [{ UCALLER_SECRET: 'abc…' }, /^UCALLER_SECRET: must be of ASCII letters, digits and signs/],
    [{ TELNYX_API_KEY: 'KEY 1' }, /^TELNYX_API_KEY: must be of ASCII letters, digits and signs/],
    [{ CONFIRMATION_WAYS: 'ring,pigeon' }, /^CONFIRMATION_WAYS: must be some of ring, voice/],
    [
      { CALL_PROVIDERS: 'smsru', SMSRU_API_ID: 'id', CONFIRMATION_WAYS: 'ring,telegram,mail' },
      /^CONFIRMATION_WAYS: lists telegram, which no provider.*\nCONFIRMATION_WAYS: lists mail, which requires PHONE_CONFIRMATION_BY_MAIL/,
    ],
    [
      {
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://door.example',
        SMTP_URL: 'smtps://mail.example',
        PHONE_CONFIRMATION: 'off',
        DATABASE_URL: 'postgres://db.example/vestibule',
      },
      /^SECRET_KEY: must be set in production with DATABASE_URL/,
    ],
    [{ NODE_ENV: 'production', PUBLIC_URL: 'http://127.evil.example' }, /PUBLIC_URL: must begin with https/],
    [
      { NODE_ENV: 'production', PUBLIC_URL: 'http://door.example' },
      /^SMTP_URL: must be set.*\nCALL_PROVIDERS: must be set.*\nPUBLIC_URL: must begin with https/,
    ],
  ])('%j is refused by name', (environment, message) => expect(() => readConfig(environment)).toThrow(message));

  test('production starts with its required settings', () => {
    const environment = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://door.example/',
      SMTP_URL: 'smtps://mail.example',
      PHONE_CONFIRMATION: 'off',
    };
    expect(readConfig(environment)).toMatchObject({ PUBLIC_URL: 'https://door.example', developmentInbox: false });
  });

  test.each([
    ['https://door.example', 'no-reply@door.example'],
    ['http://192.0.2.7:3000', 'no-reply@localhost'],
    ['http://[2001:db8::7]:3000', 'no-reply@localhost'],
  ])('for %s, the default sender is %s', (PUBLIC_URL, MAIL_FROM) => {
    expect(readConfig({ NODE_ENV: 'test', PUBLIC_URL })).toMatchObject({ MAIL_FROM });
  });

  test.each(['NODE_OPTIONS', 'HOSTNAME', 'MAILTO', 'npm_config_loglevel'])('%s is ignored', (name) => {
    expect(readConfig({ [name]: 'x' })).toMatchObject({ PORT: 3000 });
  });

  test.each([
    {
      TRUSTED_PROXIES:
        '127.0.0.1,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7,::ffff:10.0.0.0/104',
    },
    { TRUSTED_PROXIES: Array.from({ length: 64 }, () => '10.0.0.0/8,11.0.0.0/8').join(',') },
    { EMAIL_BLOCKLIST: 'mailinator.com, @spam.example, bücher.example, @xn--mnchen-3ya.example, Ödön@one.example' },
    { DATABASE_URL: 'postgres:///vestibule?host=/run/postgresql' },
    { DATABASE_URL: 'postgres://user:a%2Fb@%2Frun%2Fpostgresql/vestibule' },
    { DATABASE_URL: 'postgres://user:a@one:5432,two/vestibule?sslmode=verify-full&channel_binding=require' },
    { DATABASE_URL: 'postgres://one:5432/vestibule?user=me@example' },
  ])('%j is accepted', (environment) => expect(() => readConfig(environment)).not.toThrow());

  test.each(['https://door.example', 'http://192.168.1.7:3000', 'http://127.evil.example'])(
    'development works only on this machine, not at %s',
    (PUBLIC_URL) => {
      const usual = { SMTP_URL: 'smtps://mail.example', PHONE_CONFIRMATION: 'off' };
      expect(() => readConfig({ PUBLIC_URL, ...usual })).toThrow(/^NODE_ENV: must be production/);
    },
  );

  const example = readFileSync(join(import.meta.dirname, '..', '..', '..', '.env.example'), 'utf8');

  test('.env.example lists every setting and nothing else', () => {
    const documented = [...example.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual([...settingNames].toSorted());
  });

  test('that are set to their defaults, as .env.example shows them, change nothing', () => {
    const usual = readConfig({});
    const defaults = [...example.matchAll(/^#([A-Z][A-Z_]+)=(\w.*)$/gm)].flatMap(([, name = '', value = '']) =>
      String(usual[name as keyof typeof usual]) === value ? [[name, value] as const] : [],
    );
    expect(defaults.map(([name]) => name)).toEqual(expect.arrayContaining(['NODE_ENV', 'HOST', 'PORT', 'LOG_LEVEL']));
    for (const [name, value] of defaults) expect(readConfig({ [name]: value }), name).toEqual(usual);
    expect(readConfig(Object.fromEntries(defaults))).toEqual(usual);
  });
});
