import { describe, expect, test } from 'vitest';
import { days } from '../contract/units.ts';
import { listAccounts } from '../operations/list-accounts.ts';
import { storeRegistrationDays } from '../store/accounts/registration-days.ts';
import { addAuthenticator } from '../testing/authenticator.ts';
import { runCommand } from '../testing/command-line.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { addPasskey, change } from '../testing/passkey-authenticator.ts';
import { password, proveAddress, register } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';

describe.each(usualEngines)('lists of accounts, on %s', async (engine) => {
  const server = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });
  const { DATA_DIR, DATABASE_URL } = server.config;
  const settings = { DATA_DIR, DATABASE_URL, PHONE_CONFIRMATION: 'off', SUDO_USER: 'alice' };
  const vestibule = (words: readonly string[], input?: string) =>
    runCommand(words, { folder: DATA_DIR, settings, ...(input !== undefined && { input }) });
  const linesOf = (out: string) =>
    out
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const list = async (...filters: string[]): Promise<{ id: string; email: string }[]> => {
    const { code, out, err } = await vestibule(['accounts', 'list', ...filters]);
    expect([code, err]).toEqual([0, '']);
    return linesOf(out);
  };
  let domains = 0;
  /** A new domain with the same people: two who did nothing, and one to whom something happened. */
  async function domainWith(happens: (person: Awaited<ReturnType<typeof register>>) => Promise<unknown>) {
    domains += 1;
    const domain = `company${domains}.example`;
    const usual = await register(server, { email: `usual@${domain}` });
    await register(server, { email: `other@sub.${domain}` });
    const special = await register(server, { email: `Special@${domain}` });
    await happens(special);
    return { domain, usual, special };
  }
  const today = new Date().toISOString().slice(0, 10);
  const tomorrow = new Date(Date.now() + days(1)).toISOString().slice(0, 10);

  test.each<[string, (person: Awaited<ReturnType<typeof register>>) => Promise<unknown>, string?]>([
    ['--second-step', ({ browser }) => addAuthenticator(server, browser), '--no-second-step'],
    ['--passkey', ({ browser }) => addPasskey(browser), '--no-passkey'],
    ['--proven', (person) => proveAddress(server, person), '--unproven'],
    ['--locked', ({ email }) => vestibule(['accounts', 'lock', email])],
    ['--leaving', ({ browser }) => change(browser, 'DELETE', '/account', { password })],
    [
      '--returned',
      ({ email }) =>
        server.store
          .insertInto('unreachable_addresses')
          .values({ email_key: email.toLowerCase(), email, reason: 'complaint', told_by: 'ses', detail: '', at: 1 })
          .execute(),
    ],
    [
      '--removal-planned',
      async ({ email, browser }) => {
        await addAuthenticator(server, browser);
        await vestibule(['accounts', 'second-step', email, '--remove', '--reason', 'lost']);
      },
    ],
    ['--group=staff', ({ email }) => vestibule(['groups', 'add', email, 'staff'])],
    [
      `--idle-since=${today}`,
      ({ email }) =>
        server.store
          .updateTable('sessions')
          .set({ rotated_at: 1 })
          .where('account_id', 'in', (from) => from.selectFrom('accounts').select('id').where('email', '=', email))
          .execute(),
    ],
    [
      '--before=2020-01-01',
      ({ email }) => server.store.updateTable('accounts').set({ created_at: 1 }).where('email', '=', email).execute(),
      `--since=${today}`,
    ],
  ])('%s matches exactly one of the accounts of a domain', async (filter, happens, opposite) => {
    const { domain, usual, special } = await domainWith(happens);
    const emails = async (...filters: string[]) =>
      (await list(`--domain=${domain}`, ...filters)).map(({ email }) => email);
    expect(await emails(filter)).toEqual([special.email]);
    if (opposite) expect(await emails(opposite)).toEqual([usual.email]);
    expect(await emails(`--since=${tomorrow}`)).toEqual([]);
  });

  test('pages have every account once, the newest first, even if some have the same time', async () => {
    for (let count = 0; count < 7; count += 1) await register(server, { email: `p${count}@pages.example` });
    await server.store
      .updateTable('accounts')
      .set({ created_at: 5000 })
      .where('email', 'like', 'p%@pages.example')
      .where('email', '!=', 'p3@pages.example')
      .execute();
    const filter = { domain: 'PAGES.example' };
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await listAccounts(server.store, { filter, cursor, limit: 2 });
      seen.push(...page.items.map(({ email }) => email));
      cursor = page.next;
      more = cursor !== undefined;
    }
    expect(seen[0]).toBe('p3@pages.example');
    expect(seen.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6].map((count) => `p${count}@pages.example`));
    const first = await list('--domain=pages.example', '--most=3');
    const rest = await list('--domain=pages.example', `--after=${first.at(-1)?.id}`);
    expect([...first, ...rest].map(({ email }) => email)).toEqual(seen);
    await expect(listAccounts(server.store, { filter, cursor: 'x', limit: 2 })).rejects.toThrow(RangeError);
  });

  test.each([
    ['--second-step', '--no-second-step'],
    ['--since=yesterday'],
    ['--most=0'],
    ['--after=nobody'],
    ['anna@example.com'],
  ])('refuses %s', async (...words) => {
    expect(await vestibule(['accounts', 'list', ...words])).toMatchObject({ code: 2, out: '' });
  });

  test('commands read accounts from standard input: lines of a list, ids and addresses', async () => {
    const { domain, usual, special } = await domainWith(() => Promise.resolve());
    const { out: listed } = await vestibule(['accounts', 'list', `--domain=${domain}`]);
    const input = `${listed}\nnobody@${domain}\n\0\n`;
    const ended = await vestibule(['accounts', 'end-sessions', '-', '--reason', 'sign out a domain'], input);
    expect(ended.code).toBe(1);
    expect(new Set(ended.out.split('\n').filter(Boolean))).toEqual(
      new Set([
        `${special.email}: 1 session ended`,
        `${usual.email}: 1 session ended`,
        `nobody@${domain}: no such account`,
        '\\u0000: no such account',
      ]),
    );
    expect((await usual.browser.post('/auth/refresh')).status).toBe(401);
    const locked = await vestibule(['accounts', 'lock', '-', '--json'], `${usual.email}  Anna\n${special.email}`);
    expect([locked.code, linesOf(locked.out)]).toEqual([
      0,
      [usual, special].map(({ email }) => expect.objectContaining({ who: email, locked: true })),
    ]);
    const exported = await vestibule(['accounts', 'export', '-'], listed);
    expect(
      linesOf(exported.out)
        .map(({ account }) => account.email)
        .toSorted(),
    ).toEqual([special.email, usual.email]);
    expect(await vestibule(['accounts', 'delete', '-'], listed)).toMatchObject({ code: 2 });
    expect((await vestibule(['groups', 'add', '-', 'staff'], listed)).code).toBe(0);
    expect(await list(`--domain=${domain}`, '--group=staff')).toHaveLength(2);
    const entries = JSON.parse((await vestibule(['audit', usual.email, '--json'])).out).entries;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'sessions_ended', reason: 'sign out a domain' }));
  });

  test('the funnel counts where people stopped, and keeps the numbers when their calls are deleted', async () => {
    const { store } = server;
    const call = (phone: string, row: object) => ({
      ...{ id: `${phone} ${Math.random()}`, phone, way: 'ring', state: 'placed', attempts_left: 3, locale: 'en' },
      ...{ created_at: server.now(), expires_at: server.now(), ...row },
    });
    const before = JSON.parse((await vestibule(['accounts', 'funnel', '--days', '1', '--json'])).out);
    const rows = [
      call('+491', { state: 'failed' }),
      call('+492', {}),
      call('+492', { state: 'failed' }),
      call('+493', { state: 'confirmed', confirmed_at: server.now() }),
      call('+494', {}),
      call('+494', { state: 'confirmed', confirmed_at: server.now(), used_at: server.now() }),
    ];
    for (const row of rows)
      await store
        .insertInto('phone_calls')
        .values(row as never)
        .execute();
    const funnel = async () => JSON.parse((await vestibule(['accounts', 'funnel', '--days', '1', '--json'])).out);
    const { together, stopped } = await funnel();
    expect(together).toEqual({ ...before.together, asked: 4, called: 3, confirmed: 2, used: 1 });
    expect(stopped).toMatchObject({ before_the_call: 1, before_the_confirmation: 1, before_the_account: 1 });
    expect(together.registered - together.proven).toBe(stopped.before_the_proof_of_the_address);
    expect(together.proven).toBeGreaterThan(0);

    await storeRegistrationDays(store, server.now());
    await storeRegistrationDays(store, server.now());
    await store.deleteFrom('phone_calls').execute();
    server.forward(days(8));
    await storeRegistrationDays(store, server.now());
    const later = await store.selectFrom('registration_days').select('asked').where('asked', '>', 0).execute();
    expect(later).toEqual([{ asked: 4 }]);
  });
});
