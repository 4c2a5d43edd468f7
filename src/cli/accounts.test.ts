import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { addAuthenticator } from '../testing/authenticator.ts';
import { placeOf, runCommand } from '../testing/command-line.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { addPasskey } from '../testing/passkey-authenticator.ts';
import { addComputer, password, proveAddress, register } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';

describe.each(usualEngines)('vestibule accounts, on %s', async (engine) => {
  const server = await openTestServer(engine);

  const vestibule = async (...words: string[]) => {
    const operator = { SUDO_USER: 'alice', SSH_CONNECTION: '203.0.113.77 50000 192.0.2.1 22' };
    return runCommand(words, placeOf(server, operator));
  };
  const run = (...words: string[]) => vestibule('accounts', ...words);
  const audit = async (...words: string[]) => JSON.parse((await vestibule('audit', ...words, '--json')).out);
  const asJson = async (...words: string[]) => {
    const { code, out, err } = await run(...words, '--json');
    expect(err).toBe('');
    return { code, ...JSON.parse(out) };
  };
  const signIn = (server: TestServer, email: string, secret = password) =>
    server.client().post('/auth/login', { email, password: secret });

  test('find lists exactly the matching accounts, in any letter case', async () => {
    const { email } = await register(server, {
      name: '50%_Ödön',
      organization: 'Quarkwerke',
      phone: '+49 1577 7700123',
    });
    const phones = ['7700123', '01577 7700123', '0049 1577 7700123', '+49 (0) 1577-7700123'];
    for (const text of [email.toUpperCase(), '50%_Ö', 'quarkw', 'odon', ...phones, email.slice(0, -4)]) {
      const { code, accounts } = await asJson('find', text);
      expect([text, code, accounts.map((one: { email: string }) => one.email)]).toEqual([text, 0, [email]]);
    }
    expect(await run('find', '%_%')).toMatchObject({ code: 1, out: '%_%: no such account\n' });
  });

  test('lock ends every session and blocks password, code and reset until unlock', async () => {
    const person = await register(server);
    const { email, browser } = person;
    await proveAddress(server, person);
    const { body: enrolment } = await browser.post('/computers/enrolments');
    expect(await asJson('lock', email)).toMatchObject({ code: 0, locked: true, ended: 1 });
    const computer = { code: enrolment.code, name: 'Desk', platform: 'linux' };
    expect(await server.client().post('/computers/enrol', computer)).toSay('410 enrolment_invalid');
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended ended_elsewhere');
    expect(await browser.get('/account')).toSay('401 not_signed_in');
    expect(await signIn(server, email)).toSay('422 email_cannot_be_used');
    // Someone who does not know the password does not learn about the lock.
    expect(await signIn(server, email, 'no such thing')).toSay('401 incorrect_login_or_password');

    await browser.post('/auth/code', { email, locale: 'en' });
    const [, code] = /\b(\d{6})\b/.exec((await server.mailTo(email, /code/i)).text) ?? [];
    expect(await browser.post('/auth/code/login', { email, code })).toSay('422 email_cannot_be_used');

    await browser.post('/auth/recovery', { email, locale: 'en' });
    const [, hash] = /[?&]hash=([\w-]+)/.exec((await server.mailTo(email, /new password/i)).text) ?? [];
    const fresh = 'wind over high corn';
    const reset = { email, hash, password: fresh, password_repeat: fresh };
    expect(await browser.post('/auth/reset-password', reset)).toSay('204');
    expect(await signIn(server, email, fresh)).toSay('422 email_cannot_be_used');

    expect(await run('show', email)).toMatchObject({ code: 0, out: expect.stringMatching(/^locked at +\d{4}-/m) });
    expect(await asJson('unlock', email)).toMatchObject({ code: 0, locked: false });
    expect(await signIn(server, email, fresh)).toSay('200');
  });

  test('unlock also ends a lockout after wrong passwords', async () => {
    const { email } = await register(server);
    for (let guess = 0; guess < 5; guess += 1) await signIn(server, email, 'no such thing');
    expect(await signIn(server, email)).toSay('429 too_many_attempts');
    expect((await run('show', email)).out).toMatch(/^wrong passwords lock it until +\d{4}-/m);
    expect((await run('unlock', email)).code).toBe(0);
    expect(await signIn(server, email)).toSay('200');
  });

  test('find and why accept a former address, and why shows who changed it', async () => {
    const { email } = await register(server);
    const { id } = (await asJson('show', email)).account ?? (await asJson('find', email)).accounts[0];
    const at = server.now();
    await server.store
      .insertInto('email_changes')
      .values({
        token_hash: id,
        account_id: id,
        email: `new-${email}`,
        created_at: at,
        changed_at: at,
        undo_hash: null,
        old_email: email,
      })
      .execute();
    const changed = { email: `new-${email}`, email_key: `new-${email}` };
    await server.store.updateTable('accounts').set(changed).where('id', '=', id).execute();
    expect((await asJson('find', email)).accounts.map((one: { email: string }) => one.email)).toEqual([`new-${email}`]);
    expect((await run('why', email)).out).toContain(`new-${email}: 1 live sessions`);
    expect((await run('lock', email)).code).toBe(1);
  });

  test('end-sessions signs out everywhere, and why shows this and other reasons', async () => {
    const { email, browser } = await register(server);
    const second = server.client({ ip: '203.0.113.9' });
    await second.post('/auth/login', { email, password });
    const fresh = 'wind over high corn';
    await second.post('/account/password', { current_password: password, password: fresh, password_repeat: fresh });
    const changed = await run('why', email);
    expect(changed.out).toMatch(
      /: the password was changed or reset\n {4}\S+ {2}password_changed, .*\(203\.0\.113\.9\)/,
    );
    expect(await asJson('end-sessions', email)).toMatchObject({ code: 0, ended: 1 });
    expect(await browser.post('/auth/refresh')).toSay('401 session_ended password_changed');
    expect(await second.post('/auth/refresh')).toSay('401 session_ended ended_elsewhere');
    const why = await asJson('why', email);
    expect(why.live).toBe(0);
    expect(why.ended.map((one: { reason: string }) => one.reason)).toEqual(['ended_elsewhere', 'password_changed']);
    expect((await run('why', email)).out).toMatch(
      /ended from another session of the owner, or by an operator\n.*sessions_ended/,
    );
  });

  test('why shows that a session was copied', async () => {
    const { email, browser } = await register(server);
    const thief = browser.copy();
    await browser.post('/auth/refresh');
    await browser.post('/auth/refresh');
    await thief.post('/auth/refresh');
    expect((await run('why', email)).out).toMatch(/someone had a copy.*\n.*refresh_reused/);
  });

  test('export prints what the owner can download, and delete removes everything, but only with --yes', async () => {
    const { email, browser } = await register(server);
    const own = (await browser.get('/account/export')).body;
    const { code, ...printed } = await asJson('export', email);
    expect([code, printed.account]).toEqual([0, own.account]);
    expect(JSON.parse((await run('export', email)).out).account).toEqual(own.account);

    expect(await run('delete', email)).toMatchObject({ code: 2, err: expect.stringMatching(/add --yes$/m) });
    expect(await signIn(server, email)).toSay('200');
    expect(await asJson('delete', printed.account.id, '--yes')).toMatchObject({ code: 0, deleted: true });
    expect(await signIn(server, email)).toSay('401 incorrect_login_or_password');
    await server.mailTo(email, /deleted/i);
  });

  test('the audit log contains operator and origin of each action, and nothing else about an account that was deleted', async () => {
    const { email } = await register(server);
    const { account } = await asJson('export', email, '--reason', 'asked by phone');
    await run('lock', email, '--reason', 'stolen');
    await run('unlock', email);
    await run('end-sessions', email);
    await run('delete', email, '--yes', '--reason', 'asked in writing');
    expect(await run('lock', email, '--reason', ' ')).toMatchObject({ code: 1 });
    const { entries } = await audit(account.id);
    expect(entries.map((entry: { action: string; reason: string | null }) => [entry.action, entry.reason])).toEqual([
      ['account_deleted', 'asked in writing'],
      ['sessions_ended', null],
      ['account_unlocked', null],
      ['account_locked', null],
      ['account_exported', null],
    ]);
    for (const entry of entries)
      expect(entry).toMatchObject({
        actor_kind: 'command',
        actor: 'alice',
        origin: `${hostname()} from 203.0.113.77`,
        subject: 'deleted',
      });
    expect((await audit()).entries.length).toBeGreaterThanOrEqual(5);
  });

  test('show lists passkeys, and remove-passkey removes one and notifies its owner', async () => {
    const { email, browser } = await register(server);
    const { id } = await addPasskey(browser);
    expect((await asJson('show', email)).passkeys).toEqual([expect.objectContaining({ id, synced: true })]);
    expect((await run('show', email)).out).toMatch(new RegExp(`Passkeys: 1\\n +${id} .*never used`));
    expect(await run('remove-passkey', email)).toMatchObject({ code: 2 });
    expect(await run('remove-passkey', email, '--id=AAAA')).toMatchObject({
      code: 1,
      out: `${email}: no such passkey\n`,
    });
    expect(await asJson('remove-passkey', email, `--id=${id}`, '--reason', 'phone stolen')).toMatchObject({
      ...{ code: 0, removed: true },
    });
    expect((await browser.get('/account/passkeys')).body.passkeys).toEqual([]);
    expect((await server.mailTo(email, /passkey was removed/)).text).not.toContain('Device');
    const [entry] = (await audit(email)).entries;
    expect(entry).toMatchObject({ action: 'passkey_removed', reason: 'phone stolen', actor: 'alice' });
  });

  test('show lists second step, pending changes, groups, applications, consents and computers', async () => {
    const { email, browser } = await register(server);
    await addAuthenticator(server, browser);
    await browser.post('/account/email', { email: `new-${email}`, password, locale: 'en' });
    await addComputer(server, browser, 'Desk');
    await vestibule('groups', 'add', email, 'editors');
    await vestibule('accounts', 'second-step', email, '--remove', '--reason', 'lost phone');
    const shown = await asJson('show', email);
    expect(shown).toMatchObject({
      email_change_to: `new-${email}`,
      second_step_since: expect.stringMatching(/^\d{4}-/),
      second_step_removal_at: expect.stringMatching(/^\d{4}-/),
      authenticator: true,
      recovery_codes_left: 10,
      groups: ['editors'],
      applications: [],
      computers: [expect.objectContaining({ name: 'Desk', platform: 'linux' })],
    });
    expect(shown.consents).toContainEqual(expect.objectContaining({ kind: 'personal_data', given: true }));
    const { out } = await run('show', email);
    expect(out).toMatch(/^Groups: 1\n {2}editors$/m);
    expect(out).toMatch(/^Computers: 1\n {2}\S+ +Desk +linux/m);
    const why = await run('why', email);
    expect(why.out).toMatch(
      /^The second step is removed at .*\n {4}vestibule accounts second-step \S+ --remove --now/m,
    );
  });

  test('direction characters in a name appear escaped in the terminal', async () => {
    const { email } = await register(server);
    // As a version stored it that did not strip them.
    await server.store
      .updateTable('accounts')
      .set({ name: 'Ann\u202Eevil\u2066x' })
      .where('email', '=', email)
      .execute();
    expect((await run('find', email)).out).toContain('Ann\\u202eevil\\u2066x');
    expect((await asJson('find', email)).accounts[0].name).toBe('Ann\u202Eevil\u2066x');
    expect((await run('find', email, '--json')).out).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });

  test.each(['show', 'why', 'lock', 'unlock', 'end-sessions', 'export', 'delete'])(
    '%s fails for an unknown account, refuses two accounts, and has its own --help',
    async (command) => {
      expect(await run(command, 'nobody@example.com')).toMatchObject({
        code: 1,
        out: 'nobody@example.com: no such account\n',
      });
      expect(await asJson(command, 'no-such-id')).toEqual({ code: 1, found: false });
      expect((await run(command, 'one', 'two')).code).toBe(2);
      const help = await run(command, '--help');
      expect(help).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`accounts ${command} WHO`) });
      expect(new Set(help.out.match(/accounts [a-z][a-z-]+/g))).toEqual(new Set([`accounts ${command}`]));
    },
  );
});
