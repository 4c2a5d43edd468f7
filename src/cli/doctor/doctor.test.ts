import { existsSync, mkdirSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hours, minutes } from '../../contract/units.ts';
import { openBounceHandler } from '../../outbox/bounces/bounce-handler.ts';
import { openStore } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { runCommand } from '../../testing/command-line.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { contentsOf } from '../../testing/folders.ts';
import { startMailServer } from '../../testing/mail/mail-server.ts';
import { type MailServerOptions, refusal } from '../../testing/mail/smtp-server.ts';
import { account, postRecovery } from '../../testing/outbox.ts';
import { form, register } from '../../testing/people.ts';
import { writePlacesFile } from '../../testing/places-file.ts';
import { openTestServer } from '../../testing/test-server.ts';
import { doctor } from './doctor.ts';

const database = async () => {
  const fresh = await freshDatabase('sqlite');
  await migrate(fresh);
  return fresh;
};

/** The doctor's finding about a part, and whether the doctor fails. */
async function checked(part: string, settings: Record<string, string>, dataDir?: string) {
  const environment = {
    DATA_DIR: dataDir ?? (await database()).dataDir,
    PHONE_CONFIRMATION: 'off',
    LOG_LEVEL: 'silent',
    ...settings,
  };
  const result = await doctor.runBare({ environment, options: {}, positionals: [], now: Date.now(), folder: '.' });
  const line = (result.text ?? '').split('\n').find((one) => one.slice(9).startsWith(`${part} `));
  return `${result.failed ? 'fails' : 'passes'}, ${line?.replace(/\s+/g, ' ').trim()}`;
}

test('the doctor reports whether backups can be written, and how old the newest is', async () => {
  const folder = (await freshDatabase('sqlite')).dataDir;
  const settings = { BACKUP_DIR: folder, BACKUP_EVERY_HOURS: '24' };
  const made = (hoursAgo: number) => {
    const name = new Date(Date.now() - hours(hoursAgo)).toISOString().slice(0, 19).replaceAll(':', '-');
    writeFileSync(join(folder, `vestibule-localhost-3000-${name}.sqlite`), '');
    writeFileSync(join(folder, `vestibule-staging.example-${name}.sqlite`), '');
  };
  expect(await checked('backups', settings)).toMatch(/^passes, warning backups none in .* search its log/);
  expect(await checked('backups', { BACKUP_DIR: join(folder, 'deep', 'down') }, join(folder, 'new'))).toMatch(
    /^passes, ok backups none in .* yet: the service makes one when it starts$/,
  );
  made(49);
  expect(await checked('backups', settings)).toMatch(/^passes, warning backups the newest in .* is 2 d old$/);
  made(2);
  expect(await checked('backups', settings)).toMatch(/^passes, ok backups the newest in .* is 2 h old$/);
  writeFileSync(join(folder, 'file'), '');
  expect(await checked('backups', { BACKUP_DIR: join(folder, 'file', 'in') })).toMatch(
    /^fails, FAILED backups BACKUP_DIR: .* cannot be used: .*file is not a folder$/,
  );
});

test('the doctor warns in production of SQLite without backups', async () => {
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://door.example', SMTP_URL: 'smtp://127.0.0.1:1' };
  expect(await checked('backups', production)).toMatch(/, warning backups none: set BACKUP_DIR, or a broken disk/);
  expect(await checked('backups', {})).toMatch(/undefined$/);
});

test('the doctor names the applications without PKCE', async () => {
  const { config } = await openTestServer('sqlite');
  const settings = { DATA_DIR: config.DATA_DIR, PHONE_CONFIRMATION: 'off' };
  const add = (...words: string[]) =>
    runCommand(['clients', 'add', ...words, '--redirect', 'https://app.example/in'], { folder: '.', settings });
  await add('Wiki');
  expect(await checked('applications', {}, config.DATA_DIR)).toBe('passes, ok applications 1');
  await add('Old', '--without-pkce');
  expect(await checked('applications', {}, config.DATA_DIR)).toBe('passes, ok applications 2; without PKCE: Old');
});

test('the doctor fails if a first start would fail', async () => {
  const folder = (await freshDatabase('sqlite')).dataDir;
  writeFileSync(join(folder, 'file'), '');
  expect(await checked('database', {}, join(folder, 'new', 'one'))).toMatch(
    /^passes, ok database sqlite, the first start/,
  );
  expect(await checked('database', {}, join(folder, 'file', 'one'))).toMatch(
    /^fails, FAILED database DATA_DIR: .* cannot be used: .*file is not a folder$/,
  );
  if (process.platform === 'linux')
    expect(await checked('database', {}, '/proc/data')).toMatch(/cannot be used: no files can be created in \/proc$/);
});

test('the doctor reports whether PLACES_FILE is readable', async () => {
  const file = await writePlacesFile({ '198.51.100.0/24': { country: { iso_code: 'DE' } } });
  expect(await checked('places', { PLACES_FILE: file })).toBe(`passes, ok places ${file} is readable`);
  expect(await checked('places', { PLACES_FILE: `${file}.old` })).toMatch(
    /^fails, FAILED places PLACES_FILE: .*\.mmdb/,
  );
});

describe('the doctor, checking email,', () => {
  test.each<[string, MailServerOptions, RegExp]>([
    ['accepts a relay that accepts the recipient', {}, /^passes, ok mail 127\.0\.0\.1/],
    [
      'fails for a relay that refuses every sender',
      { onMailFrom: (_a, _s, done) => done(refusal(550, '5.7.1 not for you')) },
      /^fails, FAILED mail The mail server refuses MAIL FROM: 550 .*not for you/,
    ],
    [
      'fails for a relay that refuses every recipient',
      { onRcptTo: (_a, _s, done) => done(refusal(554, '5.7.1 relay access denied')) },
      /^fails, FAILED mail The mail server refuses RCPT TO: 554 .*relay access denied/,
    ],
    [
      'warns of a relay that responds with a temporary error',
      { onRcptTo: (_a, _s, done) => done(refusal(450, '4.2.0 greylisted')) },
      /^passes, warning mail The mail server refuses RCPT TO: 450 4\.2\.0 greylisted: try again in a few minutes$/,
    ],
    [
      'warns that replies are lost',
      { onRcptTo: (_a, _s, done) => done(refusal(550, '5.1.1 no such user')) },
      /^passes, warning mail the mail server does not know help@sign-in\.example/,
    ],
  ])('%s', async (_, options, says) => {
    const { port, arrived } = await startMailServer(options);
    const settings = {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      SUPPORT_EMAIL: 'help@sign-in.example',
      MAIL_FROM: 'a@sign-in.example',
    };
    expect(await checked('mail', settings)).toMatch(says);
    expect(arrived).toEqual([]);
  });

  test.each([
    ['it is empty', undefined, /^passes, ok outbox empty$/],
    ['an email is recent', minutes(2), /^passes, ok outbox 1 queued, the oldest for 2 min: connect ECONNREFUSED$/],
    ['an email is late', minutes(20), /^passes, warning outbox 1 queued, the oldest for 20 min: connect ECONNREFUSED$/],
    ['an email is too late', hours(3), /^fails, FAILED outbox 1 queued, the oldest for 3 h: connect ECONNREFUSED$/],
  ])('checks the outbox: %s', async (_, age, says) => {
    const fresh = await database();
    const store = openStore(fresh);
    if (age !== undefined) await postRecovery(store, { to: account('ada'), at: Date.now() - age });
    await store.updateTable('outbox').set({ last_error: 'connect ECONNREFUSED' }).execute();
    await store.destroy();
    expect(await checked('outbox', {}, fresh.dataDir)).toMatch(says);
  });

  test('reports emails that were given up recently, with the reason', async () => {
    const fresh = await database();
    const store = openStore(fresh);
    await postRecovery(store, { to: account('ada'), at: Date.now() - hours(30) });
    await store
      .updateTable('outbox')
      .set({ gave_up_at: Date.now() - hours(6), last_error: '550 5.1.1 <ada@mail.example>: no such mailbox' })
      .execute();
    await store.destroy();
    expect(await checked('outbox', {}, fresh.dataDir)).toBe(
      'passes, warning outbox empty; 1 given up in the past day: 550 5.1.1 <…>: no such mailbox',
    );
  });

  test('reports recent bounces, and warns of complaints', async () => {
    const fresh = await database();
    const bounces = () => checked('bounces', {}, fresh.dataDir);
    expect(await bounces()).toBe('passes, ok bounces none in the past week; 0 suppressed');
    const store = openStore(fresh);
    const returns = openBounceHandler({ store, now: Date.now, log: { info: () => undefined } });
    const one = { by: 'dsn', email: 'ada@mail.example', detail: '' } as const;
    await returns.take([{ ...one, id: '1', kind: 'refused' }]);
    expect(await bounces()).toBe('passes, ok bounces 1 refused (dsn) in the past week; 0 suppressed');
    await returns.take([{ ...one, id: '2', kind: 'complaint' }]);
    await store.destroy();
    expect(await bounces()).toMatch(/^passes, warning bounces 1 complaint \(dsn\), 1 refused \(dsn\) in the past week/);
  });
});

describe('the doctor, checking calls,', () => {
  test.each<[string, Record<string, string>, string, RegExp]>([
    ['lists the requirements of a country', {}, 'calls to DE', /warning calls to DE since December 2022 German caller/],
    ['omits methods that are not offered', { CONFIRMATION_WAYS: 'sms' }, 'calls to DE', /, undefined$/],
    ['omits requirements that are met', { SMS_SENDERS: 'TR:Example' }, 'calls to TR', /, undefined$/],
    ['lists the requirements of each method', {}, 'calls to TR', /warning calls to TR .* a sender that is registered/],
    [
      'warns if calls go to every country',
      { CALL_COUNTRIES: '' },
      'call countries',
      /warning call countries CALL_COUNTRIES is not set/,
    ],
  ])('%s', async (_, settings, part, says) => {
    const { url } = await startCallServer(() => [405, {}]);
    const called = {
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://door.example',
      SMTP_URL: 'smtp://127.0.0.1:1',
      PHONE_CONFIRMATION: 'required',
      CALL_COUNTRIES: 'DE,TR',
      CALL_PROVIDERS: 'webhook',
      WEBHOOK_CALL_URL: url,
      WEBHOOK_CALL_SECRET: 'a secret of the operator',
      WEBHOOK_CALL_WAYS: 'ring,sms',
    };
    expect(await checked(part, { ...called, ...settings })).toMatch(says);
  });

  const account = (rub_balance: number): Reply => [200, { status: true, rub_balance }];

  test.each<[string, string, Reply, RegExp]>([
    [
      'fails for an empty account',
      'ucaller',
      account(0),
      /^fails, FAILED calls: ucaller balance 0 RUB, which is empty/,
    ],
    [
      'warns of a low balance',
      'ucaller',
      account(42.5),
      /^passes, warning calls: ucaller balance 42\.5 RUB, which is low$/,
    ],
    ['accepts a sufficient balance', 'ucaller', account(4000), /^passes, ok calls: ucaller balance 4000 RUB$/],
    [
      'explains an error of the provider',
      'ucaller',
      [200, { status: false, error: '', code: 1003 }],
      /^fails, FAILED calls: ucaller credentials: uCaller’s error 1003: this server’s address is not on the service’s list/,
    ],
    ['fails for a missing webhook', 'webhook', [404, {}], /^fails, FAILED calls: webhook unavailable: .*HTTP 404$/],
    [
      'recognizes a webhook that accepts only POST',
      'webhook',
      [405, {}],
      /^passes, warning calls: webhook it responds/,
    ],
  ])('%s', async (_, provider, reply, says) => {
    const { url } = await startCallServer(() => reply);
    const settings = {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: provider,
      UCALLER_SERVICE_ID: '1',
      UCALLER_SECRET: 'secret',
      UCALLER_URL: url,
      WEBHOOK_CALL_URL: url,
      WEBHOOK_CALL_SECRET: 'a secret of the operator',
    };
    expect(await checked(`calls: ${provider}`, settings)).toMatch(says);
  });
});

test.each([
  ['smtp:/x', /^fails, FAILED settings SMTP_URL: must be smtp:/],
  ['smtp://mail.example?tls=maybe', /^fails, FAILED settings SMTP_URL: supports only \?tls=required/],
  ['smtp://me:100%@mail.example', /^fails, FAILED settings SMTP_URL: a % in the user name/],
])('the doctor reports SMTP_URL=%s like any invalid setting', async (SMTP_URL, says) => {
  expect(await checked('settings', { SMTP_URL })).toMatch(says);
});

test.each([
  [
    'all from one address',
    { TRUSTED_PROXIES: '' },
    /^passes, warning visitors 10 recent accounts, all from 127\.0\.0\.1: have the proxy/,
  ],
  ['from different addresses', {}, /^passes, ok visitors 10 recent accounts, from 10 addresses$/],
])('the doctor checks visitor addresses: %s', async (_, settings, says) => {
  const server = await openTestServer('sqlite', settings);
  for (let person = 1; person <= 10; person += 1) {
    const response = await server.client({ ip: `203.0.113.${person}` }).post('/auth/register', form());
    expect(response.status).toBe(201);
  }
  await server.close();
  const asked = { NODE_ENV: 'test', PUBLIC_URL: 'https://door.example' };
  expect(await checked('visitors', asked, server.config.DATA_DIR)).toMatch(says);
});

/** Overwrites every second page from the fifth with the page before it. */
function overwritePages(file: string): void {
  const page = 4096;
  const descriptor = openSync(file, 'r+');
  const bytes = Buffer.alloc(page);
  for (let at = 3; at < 20; at += 2) {
    readSync(descriptor, bytes, 0, page, at * page);
    writeSync(descriptor, bytes, 0, page, (at + 1) * page);
  }
}

describe('the doctor only reads:', () => {
  /** The data folder of a service that has been used. */
  async function usedFolder(): Promise<string> {
    const server = await openTestServer('sqlite');
    await register(server);
    await server.close();
    return server.config.DATA_DIR;
  }

  test('it does not create a missing folder', async () => {
    const dataDir = join((await freshDatabase('sqlite')).dataDir, 'not-made-yet');
    expect(await checked('database', {}, dataDir)).toMatch(/^passes, ok database sqlite, the first start creates it/);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a used folder stays unchanged', async () => {
    const dataDir = await usedFolder();
    const before = contentsOf(dataDir);
    expect(await checked('database', {}, dataDir)).toBe(
      'passes, ok database sqlite, intact, tables up to date, 1 account',
    );
    expect(contentsOf(dataDir)).toEqual(before);
  });

  test('with --quick, it does not read the pages of the file, and says so', async () => {
    const dataDir = await usedFolder();
    const environment = { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off', LOG_LEVEL: 'silent' };
    const given = { environment, positionals: [], now: Date.now(), folder: '.' };
    const quick = await doctor.runBare({ ...given, options: { quick: true } });
    expect(quick.text).toMatch(/database +sqlite, not read in full \(use --deep\), tables up to date, 1 account/);
    overwritePages(join(dataDir, 'vestibule.sqlite'));
    const deep = await doctor.runBare({ ...given, options: { deep: true } });
    expect(deep.text).toMatch(/database .*is damaged/);
  });

  test('it does not migrate older tables', async () => {
    const fresh = await freshDatabase('sqlite');
    await migrate(fresh, { steps: {} });
    const before = contentsOf(fresh.dataDir);
    expect(await checked('database', {}, fresh.dataDir)).toMatch(/^passes, ok database sqlite, empty: the first start/);
    expect(contentsOf(fresh.dataDir)).toEqual(before);
  });

  test.each<[string, string, (dataDir: string) => void, RegExp]>([
    [
      'a lost secret is reported, and not replaced',
      'keys',
      (dataDir) => rmSync(join(dataDir, 'secret.key')),
      /^fails, FAILED keys SECRET_KEY: .*neither it nor .*secret\.key exists; restore it from a backup$/,
    ],
    [
      'an empty secret is reported',
      'keys',
      (dataDir) => writeFileSync(join(dataDir, 'secret.key'), ''),
      /^fails, FAILED keys SECRET_KEY: .*secret\.key is empty; restore it from a backup$/,
    ],
    [
      'the secret of another folder is reported',
      'keys',
      (dataDir) => writeFileSync(join(dataDir, 'secret.key'), 'x'.repeat(43)),
      /^fails, FAILED keys SECRET_KEY: .*with another secret; restore it from a backup$/,
    ],
    [
      'a file that is not a database is reported',
      'database',
      (dataDir) => writeFileSync(join(dataDir, 'vestibule.sqlite'), 'not a database at all'.repeat(100)),
      /^fails, FAILED database .*vestibule\.sqlite is damaged, restore a backup: file is not a database$/,
    ],
    [
      'a database with a lost page is reported',
      'database',
      (dataDir) => overwritePages(join(dataDir, 'vestibule.sqlite')),
      /^fails, FAILED database .*vestibule\.sqlite is damaged, restore a backup: /,
    ],
    [
      'a database that cannot be opened now is not called damaged',
      'database',
      (dataDir) => {
        writeFileSync(join(dataDir, 'vestibule.sqlite-wal'), 'x'.repeat(100));
        mkdirSync(join(dataDir, 'vestibule.sqlite-shm'));
      },
      /^fails, FAILED database .*vestibule\.sqlite cannot be read: /,
    ],
    [
      'a folder instead of a file is reported',
      'redirect rules|settings',
      (dataDir) => mkdirSync(join(dataDir, 'rules.json')),
      /REDIRECT_RULES: .*rules\.json/,
    ],
  ])('%s', { tags: 'full' }, async (_, part, spoil, says) => {
    const dataDir = await usedFolder();
    spoil(dataDir);
    const before = contentsOf(dataDir);
    const settings: Record<string, string> = part.includes('rules')
      ? { REDIRECT_RULES: join(dataDir, 'rules.json') }
      : {};
    expect(await checked(part.split('|').at(-1) ?? part, settings, dataDir)).toMatch(says);
    expect(contentsOf(dataDir)).toEqual(before);
  });
});
