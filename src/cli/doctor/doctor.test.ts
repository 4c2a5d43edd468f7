import { existsSync, mkdirSync, openSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hours, minutes } from '../../contract/durations.ts';
import { openBounceHandler } from '../../outbox/bounces/bounce-handler.ts';
import { openStore } from '../../store/database.ts';
import { migrate } from '../../store/migrate.ts';
import { type Reply, startCallServer } from '../../testing/call-server.ts';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { contentsOf } from '../../testing/folder-contents.ts';
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

/** What the doctor says of a part, with the code that it ends with. */
async function examined(part: string, settings: Record<string, string>, dataDir?: string) {
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

test('the doctor says whether backups can be kept, and how old the newest is', async () => {
  const folder = (await freshDatabase('sqlite')).dataDir;
  const settings = { BACKUP_DIR: folder, BACKUP_EVERY_HOURS: '24' };
  const made = (hoursAgo: number) => {
    const name = new Date(Date.now() - hours(hoursAgo)).toISOString().slice(0, 19).replaceAll(':', '-');
    writeFileSync(join(folder, `vestibule-${name}.sqlite`), '');
  };
  expect(await examined('backups', settings)).toMatch(/^passes, ok backups none in .* yet/);
  expect(await examined('backups', { BACKUP_DIR: join(folder, 'deep', 'down') })).toMatch(/^passes, ok backups none/);
  made(49);
  expect(await examined('backups', settings)).toMatch(/^passes, warning backups the newest in .* is 2 d old$/);
  made(2);
  expect(await examined('backups', settings)).toMatch(/^passes, ok backups the newest in .* is 2 h old$/);
  writeFileSync(join(folder, 'file'), '');
  expect(await examined('backups', { BACKUP_DIR: join(folder, 'file', 'in') })).toMatch(
    /^fails, FAILED backups BACKUP_DIR: .* cannot be used: .*file is no folder$/,
  );
});

test('the doctor promises no first start where there can be none', async () => {
  const folder = (await freshDatabase('sqlite')).dataDir;
  writeFileSync(join(folder, 'file'), '');
  expect(await examined('database', {}, join(folder, 'new', 'one'))).toMatch(
    /^passes, ok database sqlite, the first start/,
  );
  expect(await examined('database', {}, join(folder, 'file', 'one'))).toMatch(
    /^fails, FAILED database DATA_DIR: .* cannot be used: .*file is no folder$/,
  );
});

test('the doctor says whether the database of places can be read', async () => {
  const file = await writePlacesFile({ '198.51.100.0/24': { country: { iso_code: 'DE' } } });
  expect(await examined('places', { PLACES_FILE: file })).toBe(`passes, ok places ${file} can be read`);
  expect(await examined('places', { PLACES_FILE: `${file}.old` })).toMatch(
    /^fails, FAILED places PLACES_FILE: .*\.mmdb/,
  );
});

describe('the doctor, asked about mail,', () => {
  test.each<[string, MailServerOptions, RegExp]>([
    ['is content with a relay that takes a recipient', {}, /^passes, ok mail 127\.0\.0\.1/],
    [
      'finds a relay that refuses every sender',
      { onMailFrom: (_a, _s, done) => done(refusal(550, '5.7.1 not for you')) },
      /^fails, FAILED mail The mail server refuses MAIL FROM: 550 .*not for you/,
    ],
    [
      'finds a relay that refuses every recipient',
      { onRcptTo: (_a, _s, done) => done(refusal(554, '5.7.1 relay access denied')) },
      /^fails, FAILED mail The mail server refuses RCPT TO: 554 .*relay access denied/,
    ],
    [
      'waits for a relay that puts it off',
      { onRcptTo: (_a, _s, done) => done(refusal(450, '4.2.0 greylisted')) },
      /^passes, warning mail The mail server refuses RCPT TO: 450 4\.2\.0 greylisted: ask again in some minutes$/,
    ],
    [
      'tells that answers reach nobody',
      { onRcptTo: (_a, _s, done) => done(refusal(550, '5.1.1 no such user')) },
      /^passes, warning mail the mail server knows no help@sign-in\.example/,
    ],
  ])('%s', async (_, options, says) => {
    const { port, arrived } = await startMailServer(options);
    const settings = {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      SUPPORT_EMAIL: 'help@sign-in.example',
      MAIL_FROM: 'a@sign-in.example',
    };
    expect(await examined('mail', settings)).toMatch(says);
    expect(arrived).toEqual([]);
  });

  test.each([
    ['nothing waits', undefined, /^passes, ok outbox nothing waits$/],
    ['a letter is young', minutes(2), /^passes, ok outbox 1 wait, the oldest for 2 min: connect ECONNREFUSED$/],
    ['a letter is late', minutes(20), /^passes, warning outbox 1 wait, the oldest for 20 min: connect ECONNREFUSED$/],
    ['a letter is too late', hours(3), /^fails, FAILED outbox 1 wait, the oldest for 3 h: connect ECONNREFUSED$/],
  ])('looks at the outbox: %s', async (_, age, says) => {
    const fresh = await database();
    const store = openStore(fresh);
    if (age !== undefined) await postRecovery(store, { to: account('ada'), at: Date.now() - age });
    await store.updateTable('outbox').set({ last_error: 'connect ECONNREFUSED' }).execute();
    await store.destroy();
    expect(await examined('outbox', {}, fresh.dataDir)).toMatch(says);
  });

  test('tells what was given up lately, and why', async () => {
    const fresh = await database();
    const store = openStore(fresh);
    await postRecovery(store, { to: account('ada'), at: Date.now() - hours(30) });
    await store
      .updateTable('outbox')
      .set({ gave_up_at: Date.now() - hours(6), last_error: '550 5.1.1 <ada@mail.example>: no such mailbox' })
      .execute();
    await store.destroy();
    expect(await examined('outbox', {}, fresh.dataDir)).toBe(
      'passes, warning outbox nothing waits; 1 given up within a day: 550 5.1.1 <…>: no such mailbox',
    );
  });

  test('tells what came back lately, and warns of complaints', async () => {
    const fresh = await database();
    const told = () => examined('returned mail', {}, fresh.dataDir);
    expect(await told()).toBe('passes, ok returned mail none within a week; 0 suppressed');
    const store = openStore(fresh);
    const returns = openBounceHandler({ store, now: Date.now, log: { info: () => undefined } });
    const one = { by: 'dsn', email: 'ada@mail.example', detail: '' } as const;
    await returns.take([{ ...one, id: '1', kind: 'refused' }]);
    expect(await told()).toBe('passes, ok returned mail within a week 1 refused (dsn); 0 suppressed');
    await returns.take([{ ...one, id: '2', kind: 'complaint' }]);
    await store.destroy();
    expect(await told()).toMatch(/^passes, warning returned mail within a week 1 complaint \(dsn\), 1 refused \(dsn\)/);
  });
});

describe('the doctor, asked about calls,', () => {
  test.each<[string, Record<string, string>, string, RegExp]>([
    ['names what a country needs', {}, 'calls to DE', /warning calls to DE since December 2022 German caller/],
    ['and nothing of methods that are not offered', { CONFIRMATION_WAYS: 'sms' }, 'calls to DE', /, undefined$/],
    ['for each method', {}, 'calls to TR', /warning calls to TR .* a sender that is registered/],
    [
      'warns where every country is called',
      { CALL_COUNTRIES: '' },
      'call countries',
      /warning call countries CALL_COUNTRIES names/,
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
    expect(await examined(part, { ...called, ...settings })).toMatch(says);
  });

  const account = (rub_balance: number): Reply => [200, { status: true, rub_balance }];

  test.each<[string, string, Reply, RegExp]>([
    ['finds an empty account', 'ucaller', account(0), /^fails, FAILED calls: ucaller balance 0 RUB, which is empty/],
    [
      'warns of a low one',
      'ucaller',
      account(42.5),
      /^passes, warning calls: ucaller balance 42\.5 RUB, which is low$/,
    ],
    ['is content with a full one', 'ucaller', account(4000), /^passes, ok calls: ucaller balance 4000 RUB$/],
    [
      'says what an error means',
      'ucaller',
      [200, { status: false, error: '', code: 1003 }],
      /^fails, FAILED calls: ucaller credentials: uCaller’s error 1003: this server’s address is not on the service’s list/,
    ],
    [
      'finds a webhook that is not there',
      'webhook',
      [404, {}],
      /^fails, FAILED calls: webhook unavailable: .*HTTP 404$/,
    ],
    ['knows one that takes only POST', 'webhook', [405, {}], /^passes, warning calls: webhook it answers/],
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
    expect(await examined(`calls: ${provider}`, settings)).toMatch(says);
  });
});

test.each([
  ['smtp:/x', /^fails, FAILED settings SMTP_URL: must be smtp:/],
  ['smtp://mail.example?tls=maybe', /^fails, FAILED settings SMTP_URL: knows only \?tls=required/],
  ['smtp://me:100%@mail.example', /^fails, FAILED settings SMTP_URL: a % in the user name/],
])('the doctor names SMTP_URL=%s as every wrong setting', async (SMTP_URL, says) => {
  expect(await examined('settings', { SMTP_URL })).toMatch(says);
});

test.each([
  [
    'all from one address',
    { TRUSTED_PROXIES: '' },
    /^passes, warning visitors 10 accounts lately, all from 127\.0\.0\.1: let the proxy/,
  ],
  ['from their own', {}, /^passes, ok visitors 10 accounts lately, from 10 addresses$/],
])('the doctor looks where people come from: %s', async (_, settings, says) => {
  const server = await openTestServer('sqlite', settings);
  for (let person = 1; person <= 10; person += 1) {
    const answer = await server.client({ ip: `203.0.113.${person}` }).post('/auth/register', form());
    expect(answer.status).toBe(201);
  }
  await server.close();
  const asked = { NODE_ENV: 'test', PUBLIC_URL: 'https://door.example' };
  expect(await examined('visitors', asked, server.config.DATA_DIR)).toMatch(says);
});

describe('the doctor only reads:', () => {
  /** What a service leaves that has had somebody to serve. */
  async function usedFolder(): Promise<string> {
    const server = await openTestServer('sqlite');
    await register(server);
    await server.close();
    return server.config.DATA_DIR;
  }

  test('where nothing is yet, nothing is afterwards', async () => {
    const dataDir = join((await freshDatabase('sqlite')).dataDir, 'not-made-yet');
    expect(await examined('database', {}, dataDir)).toMatch(/^passes, ok database sqlite, the first start makes it/);
    expect(existsSync(dataDir)).toBe(false);
  });

  test('a folder in use is as it was', async () => {
    const dataDir = await usedFolder();
    const before = contentsOf(dataDir);
    expect(await examined('database', {}, dataDir)).toBe(
      'passes, ok database sqlite, whole, tables up to date, 1 accounts',
    );
    expect(contentsOf(dataDir)).toEqual(before);
  });

  test('in a hurry no page of the file is read, and it says so', async () => {
    const dataDir = await usedFolder();
    const environment = { DATA_DIR: dataDir, PHONE_CONFIRMATION: 'off', LOG_LEVEL: 'silent' };
    const given = { environment, positionals: [], now: Date.now(), folder: '.' };
    const quick = await doctor.runBare({ ...given, options: { quick: true } });
    expect(quick.text).toMatch(/database +sqlite, not read in full \(--deep does\), tables up to date, 1 accounts/);
    overwritePages(join(dataDir, 'vestibule.sqlite'));
    const deep = await doctor.runBare({ ...given, options: { deep: true } });
    expect(deep.text).toMatch(/database .*is damaged/);
  });

  test('tables of an older version stay as they are', async () => {
    const fresh = await freshDatabase('sqlite');
    await migrate(fresh, {});
    const before = contentsOf(fresh.dataDir);
    expect(await examined('database', {}, fresh.dataDir)).toMatch(
      /^passes, ok database sqlite, empty: the first start/,
    );
    expect(contentsOf(fresh.dataDir)).toEqual(before);
  });

  test.each<[string, string, (dataDir: string) => void, RegExp]>([
    [
      'a key that was lost is named, and none is made in its place',
      'keys',
      (dataDir) => rmSync(join(dataDir, 'secret.key')),
      /^fails, FAILED keys SECRET_KEY: .*neither it nor .*secret\.key is there; restore it from a backup$/,
    ],
    [
      'an empty key is named',
      'keys',
      (dataDir) => writeFileSync(join(dataDir, 'secret.key'), ''),
      /^fails, FAILED keys SECRET_KEY: .*secret\.key is empty; restore it from a backup$/,
    ],
    [
      'a key of another folder is named',
      'keys',
      (dataDir) => writeFileSync(join(dataDir, 'secret.key'), 'x'.repeat(43)),
      /^fails, FAILED keys SECRET_KEY: .*with another secret; restore it from a backup$/,
    ],
    [
      'a file that is no database is named',
      'database',
      (dataDir) => writeFileSync(join(dataDir, 'vestibule.sqlite'), 'no database at all'.repeat(100)),
      /^fails, FAILED database .*vestibule\.sqlite is damaged, restore a backup: file is not a database$/,
    ],
    [
      'a database of which a page was lost is named',
      'database',
      (dataDir) => overwritePages(join(dataDir, 'vestibule.sqlite')),
      /^fails, FAILED database .*vestibule\.sqlite is damaged, restore a backup: /,
    ],
    [
      'a folder in place of a file is named',
      'redirect rules|settings',
      (dataDir) => mkdirSync(join(dataDir, 'rules.json')),
      /REDIRECT_RULES: .*rules\.json/,
    ],
  ])('%s', async (_, part, spoil, says) => {
    const dataDir = await usedFolder();
    spoil(dataDir);
    const before = contentsOf(dataDir);
    const settings: Record<string, string> = part.includes('rules')
      ? { REDIRECT_RULES: join(dataDir, 'rules.json') }
      : {};
    expect(await examined(part.split('|').at(-1) ?? part, settings, dataDir)).toMatch(says);
    expect(contentsOf(dataDir)).toEqual(before);
  });
});

/** Every second page from the third on becomes what the one before it is. */
function overwritePages(file: string): void {
  const page = 4096;
  const descriptor = openSync(file, 'r+');
  const bytes = Buffer.alloc(page);
  for (let at = 3; at < 20; at += 2) {
    readSync(descriptor, bytes, 0, page, at * page);
    writeSync(descriptor, bytes, 0, page, (at + 1) * page);
  }
}
