import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { auditAlone } from '../operations/operation.ts';
import { enqueueEmail } from '../outbox/enqueue-email.ts';
import { emailKey, findAccountByEmail } from '../store/accounts/accounts.ts';
import { disableReceiver } from '../store/webhooks/record-event.ts';
import { runCommand } from '../testing/command-line.ts';
import { register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';
import { newSecret } from '../testing/webhook-receiver.ts';
import { readReceivers } from '../webhooks/receivers.ts';

const secret = { SECRET_KEY: 'a secret of thirty-two characters' };

test('commands that change anything but an account or a client, or show a person, are also entries of the audit log, with their reason', async () => {
  const server = await openTestServer('sqlite', secret);
  const { email } = await register(server);
  const { store, now } = server;
  const { DATA_DIR } = server.config;
  const webhooks = join(DATA_DIR, 'webhooks.json');
  writeFileSync(
    webhooks,
    JSON.stringify([{ url: 'http://127.0.0.1:9/', secret: newSecret(), events: ['account.created'] }]),
  );
  const [receiver = { id: '' }] = readReceivers(webhooks);
  const settings = { DATA_DIR, WEBHOOKS_FILE: webhooks, PHONE_CONFIRMATION: 'off', ...secret };
  const run = (...words: string[]) => runCommand(words, { folder: DATA_DIR, settings });

  const gone = { email, reason: 'no_such_address', told_by: 'dsn', detail: '', at: now() } as const;
  await store
    .insertInto('unreachable_addresses')
    .values({ email_key: emailKey(email), ...gone })
    .execute();
  await store.transaction().execute(async (trx) => {
    const account = { id: randomUUID(), email, name: 'Anna', locale: 'en' } as const;
    const id = await enqueueEmail(trx, { notice: 'password_changed', params: { when: now() }, account, at: now() });
    await trx.updateTable('outbox').set({ gave_up_at: now() }).where('id', '=', id).execute();
    const times = { created_at: now(), due_at: now(), attempts: 10, leased_until: 0, sent_at: null };
    const delivery = { account_id: account.id, position: 1, type: 'account.created', data: '{}', ...times } as const;
    const failed = { gave_up_at: now(), last_error: 'status 500' };
    await trx
      .insertInto('webhook_deliveries')
      .values({ id: randomUUID(), receiver: receiver.id, ...delivery, ...failed })
      .execute();
  });
  await disableReceiver(store, { id: receiver.id, at: now() });
  writeFileSync(join(DATA_DIR, 'people.jsonl'), `${JSON.stringify({ email: 'imported@old.example' })}\n`);

  for (const words of [
    'promo add FREE-MONTH',
    'keys rotate',
    `suppressed remove ${email}`,
    'outbox retry --all',
    'webhooks retry --all',
    `webhooks enable ${receiver.id}`,
    `groups add ${email} staff`,
    `groups remove ${email} staff`,
    `accounts find ${email}`,
    `accounts show ${email}`,
    `accounts why ${email}`,
    'import people.jsonl',
  ]) {
    const { code, err } = await run(...words.split(' '), '--reason', `why ${words.split(' ', 2).join(' ')}`);
    expect([words, code, err]).toEqual([words, 0, '']);
  }
  const { entries } = JSON.parse((await run('audit', '--json')).out);
  const written = entries.map(({ action, reason }: Record<string, unknown>) => `${action}: ${reason}`);
  expect(written.toReversed()).toEqual([
    'promo_code_added: why promo add',
    'keys_rotated: why keys rotate',
    'address_allowed: why suppressed remove',
    'emails_retried: why outbox retry',
    'webhooks_retried: why webhooks retry',
    'webhooks_enabled: why webhooks enable',
    'group_added: why groups add',
    'group_removed: why groups remove',
    'accounts_found: why accounts find',
    'account_viewed: why accounts show',
    'account_viewed: why accounts why',
    'import_started: why import people.jsonl',
    'import_finished: why import people.jsonl',
  ]);
});

test('a reason cannot look like another entry of the audit log', async () => {
  const { config } = await openTestServer('sqlite', secret);
  const { DATA_DIR } = config;
  const run = (...words: string[]) => runCommand(words, { folder: DATA_DIR, settings: { DATA_DIR, ...secret } });
  const reason = 'for a partner\n2026-01-01T00:00:00.000Z  alice\there';
  expect((await run('promo', 'add', 'SPRING24', '--reason', reason)).code).toBe(0);
  const { out } = await run('audit', '--most', '1');
  expect(out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/ for a partner\\u000a2026\S+ {2}alice\\u0009here$/),
  ]);
  const today = new Date().toISOString().slice(0, 10);
  expect((await run('audit', `--since=${today}`)).out).toContain('promo_code_added');
  expect((await run('audit', '--since=2999-01-01')).out).toBe('The audit log has no matching entries.\n');
  expect((await run('audit', '--since=yesterday')).code).toBe(2);
  const { entries } = JSON.parse((await run('audit', '--most', '1', '--json')).out);
  expect(entries).toMatchObject([{ reason }]);
});

test('the audit log names operators, keys and people, and ids stay for programs', async () => {
  const server = await openTestServer('sqlite', secret);
  const { store, now, config } = server;
  const { DATA_DIR } = config;
  const run = (...words: string[]) => runCommand(words, { folder: DATA_DIR, settings: { DATA_DIR, ...secret } });
  const ids = await Promise.all(
    ['Olga Klein', 'Bob Gray'].map(async (name) => {
      const { email } = await register(server, { name });
      return (await findAccountByEmail(store, email))?.id ?? '';
    }),
  );
  const [olga = '', bob = ''] = ids;
  const { id: key } = JSON.parse((await run('keys-for-operators', 'add', 'desk', '--role', 'support', '--json')).out);
  for (const [kind, actor] of [
    ['operator', olga],
    ['key', key],
  ] as const) {
    const operator = { kind, actor, origin: '192.0.2.7', reason: undefined };
    await auditAlone({ store, operator, now: now() }, { action: 'account_viewed', accountId: bob, subject: 'b***' });
  }
  const { out } = await run('audit', bob);
  expect(out).toMatch(/ operator Olga Klein +192\.0\.2\.7 +account_viewed +Bob Gray +b\*\*\*/);
  expect(out).toMatch(/ key desk +192\.0\.2\.7 +account_viewed +Bob Gray /);
  expect(out).not.toMatch(new RegExp(`${bob}|${olga}|${key}`));
  expect(JSON.parse((await run('audit', bob, '--json')).out).entries.at(-1)).toMatchObject({
    ...{ actor: olga, actor_name: 'Olga Klein', account_id: bob, account_name: 'Bob Gray' },
  });
  await store.deleteFrom('accounts').where('id', 'in', ids).execute();
  expect((await run('audit', bob)).out).toMatch(new RegExp(` operator ${olga} .* ${bob} `));
});
