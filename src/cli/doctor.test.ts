import { describe, expect, test } from 'vitest';
import { hours, minutes } from '../contract/durations.ts';
import { openStore } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { type Reply, startCallServer } from '../testing/call-server.ts';
import { freshDatabase } from '../testing/databases.ts';
import { startMailServer } from '../testing/mail-server.ts';
import { account, postRecovery } from '../testing/outbox.ts';
import { type MailServerOptions, refusal } from '../testing/smtp-server.ts';
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
  const result = await doctor.runBare({ environment, options: {}, positionals: [], now: Date.now() });
  const line = (result.text ?? '').split('\n').find((one) => one.slice(9).startsWith(`${part} `));
  return `${result.failed ? 'fails' : 'passes'}, ${line?.replace(/\s+/g, ' ').trim()}`;
}

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
});

describe('the doctor, asked about calls,', () => {
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
