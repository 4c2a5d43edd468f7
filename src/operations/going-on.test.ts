import { describe, expect, test } from 'vitest';
import { hours, iso } from '../contract/units.ts';
import { openKeyEncryption } from '../security/macs.ts';
import { accountParts } from '../server/wings.ts';
import { findAccountByEmail } from '../store/accounts/accounts.ts';
import { suppressedReason } from '../store/emails/outbox.ts';
import { suppressAddress, unsuppressAddress } from '../store/emails/suppression-list.ts';
import { addAuthenticator } from '../testing/authenticator.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { addPasskey, change } from '../testing/passkey-authenticator.ts';
import { password, register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';
import { lockAccount, removeSecondStep } from './accounts.ts';
import { goingOn } from './going-on.ts';
import { timeline } from './timeline.ts';

const operator = { kind: 'command', actor: 'alice', origin: 'host', reason: 'stolen laptop' } as const;

describe.each(usualEngines)('what is going on with an account, on %s', async (engine) => {
  const server = await openTestServer(engine);
  const { store, config } = server;

  async function person() {
    const { email, browser } = await register(server);
    const account = async () => {
      const found = await findAccountByEmail(store, email);
      if (!found) throw new Error(`${email}: no account`);
      return found;
    };
    const codes = async () => {
      const going = await goingOn({ store, config, account: await account(), now: server.now() });
      return Object.fromEntries(going.map((one) => [one.code, one]));
    };
    const wrong = (secret = 'no such thing') => server.client().post('/auth/login', { email, password: secret });
    return { email, browser, account, codes, wrong };
  }
  const operation = () => ({ store, parts: accountParts, operator, now: server.now() });
  type Person = Awaited<ReturnType<typeof person>>;

  test.each<[name: string, code: string, happens: (one: Person) => Promise<unknown>, says: object]>([
    [
      'a lock by an operator, with who and why',
      'locked_by_operator',
      async ({ account }) => lockAccount(operation(), await account()),
      {
        params: { since: expect.stringMatching(/^\d{4}-/), by: 'alice', words: 'stolen laptop' },
        text: expect.stringMatching(/by alice \(“stolen laptop”\)/),
        action: 'unlock',
      },
    ],
    [
      'that nothing works during such a lock',
      'cannot_sign_in',
      async ({ account }) => lockAccount(operation(), await account()),
      { text: expect.stringContaining('an operator locked') },
    ],
    [
      'a lockout after wrong passwords, and its end',
      'locked_by_wrong_passwords',
      async ({ wrong }) => {
        for (let guess = 0; guess < 5; guess += 1) await wrong();
      },
      { until: expect.stringMatching(/^\d{4}-/), action: 'unlock' },
    ],
    [
      'what still works during a lockout',
      'known_device_works',
      async ({ wrong }) => {
        for (let guess = 0; guess < 5; guess += 1) await wrong();
      },
      { text: expect.stringContaining('the password also works') },
    ],
    [
      'every method',
      'can_sign_in',
      ({ browser }) => addPasskey(browser),
      {
        params: { methods: ['password', 'mail_code', 'passkey'] },
        text: expect.stringContaining('a password, an emailed code or a passkey'),
      },
    ],
    [
      'that a second step is needed',
      'second_step_needed',
      ({ browser }) => addAuthenticator(server, browser),
      { params: { count: 10 }, text: expect.stringContaining('10 recovery codes are left') },
    ],
    [
      'a sign-in that waits for its second step',
      'second_step_awaited',
      async ({ browser, wrong }) => {
        await addAuthenticator(server, browser);
        await wrong(password);
      },
      { text: expect.stringContaining('right password') },
    ],
    [
      'a planned removal of the second step',
      'second_step_removal',
      async ({ browser, account }) => {
        await addAuthenticator(server, browser);
        await removeSecondStep(operation(), {
          account: await account(),
          service: { config, secrets: openKeyEncryption(undefined) },
          immediately: false,
        });
      },
      { until: expect.stringMatching(/^\d{4}-/) },
    ],
    [
      'a change of the address that waits for its link',
      'email_change_pending',
      ({ browser, email }) => browser.post('/account/email', { email: `new-${email}`, password, locale: 'en' }),
      { text: expect.stringContaining('new-'), until: expect.stringMatching(/^\d{4}-/) },
    ],
    [
      'a planned deletion',
      'deletion_planned',
      ({ browser }) => change(browser, 'DELETE', '/account', { password }),
      {
        text: expect.stringContaining('sign-in before then cancels'),
      },
    ],
    [
      'a suppressed address, in the words of its server',
      'email_suppressed',
      ({ email }) =>
        suppressAddress(store, {
          email,
          reason: 'no_such_address',
          told_by: 'dsn',
          detail: '550 gone',
          at: server.now(),
        }),
      { text: expect.stringContaining('550 gone'), action: 'allow_address' },
    ],
    [
      'an email that was given up, in the words of the mail server',
      'email_given_up',
      async ({ account }) => {
        const { id } = await account();
        const unsent = store
          .selectFrom('outbox')
          .select('id')
          .where('account_id', '=', id)
          .where('sent_at', 'is', null);
        // Otherwise the worker might record its success afterward.
        await expect.poll(() => unsent.execute()).toEqual([]);
        await store
          .updateTable('outbox')
          .set({ sent_at: null, gave_up_at: server.now(), last_error: '552 mailbox full' })
          .where('account_id', '=', id)
          .execute();
      },
      { text: expect.stringContaining('552 mailbox full'), action: 'retry_emails' },
    ],
    [
      'an hourly limit, and when it ends',
      'reset_emails_limited',
      async ({ email }) => {
        const stranger = server.client({ ip: '203.0.113.44' });
        for (let asked = 0; asked < 4; asked += 1) await stranger.post('/auth/recovery', { email, locale: 'en' });
      },
      { text: expect.stringContaining('203.0.113.44'), until: expect.stringMatching(/^\d{4}-/) },
    ],
    [
      'why the last session ended',
      'last_session_ended',
      async ({ browser, wrong }) => {
        await wrong(password);
        await browser.post('/auth/logout');
      },
      { text: expect.stringContaining('signed out on that device') },
    ],
    ['where it is signed in', 'signed_in', () => Promise.resolve(), { text: 'Signed in on 1 device.' }],
    ['that nobody proved the address', 'email_unproven', () => Promise.resolve(), {}],
  ])('says %s', async (_name, code, happens, says) => {
    const one = await person();
    await happens(one);
    const codes = await one.codes();
    expect(Object.keys(codes)).toContain(code);
    expect(codes[code]).toMatchObject(says);
  });

  test('offers to send an email again once its address is allowed, not before', async () => {
    const { email, account, codes } = await person();
    const { id } = await account();
    const unsent = store.selectFrom('outbox').select('id').where('account_id', '=', id).where('sent_at', 'is', null);
    await expect.poll(() => unsent.execute()).toEqual([]);
    await suppressAddress(store, {
      ...{ email, reason: 'no_such_address', told_by: 'dsn' },
      ...{ detail: '550 gone', at: server.now() },
    });
    const heldBack = { sent_at: null, gave_up_at: server.now(), last_error: suppressedReason };
    await store.updateTable('outbox').set(heldBack).where('account_id', '=', id).execute();
    expect((await codes()).email_held_back?.action).toBeUndefined();
    await unsuppressAddress(store, email);
    expect((await codes()).email_held_back?.action).toBe('retry_emails');
    const due_at = server.now() + hours(2);
    await store
      .updateTable('outbox')
      .set({ gave_up_at: null, last_error: null, due_at })
      .where('account_id', '=', id)
      .execute();
    expect((await codes()).email_waiting).toMatchObject({ until: iso(due_at) });
    const [waits] = (await timeline({ store, parts: [], account: await account(), kind: 'emails', limit: 9 })).items;
    expect(waits?.params).toMatchObject({ until: iso(due_at) });
  });
});
