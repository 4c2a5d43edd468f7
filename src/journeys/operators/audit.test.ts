import { expect, test } from 'vitest';
import { days, hours, iso, minutes } from '../../contract/units.ts';
import { recordView } from '../../operations/people.ts';
import { type AccountsTable, findAccountByEmail } from '../../store/accounts/accounts.ts';
import { suppressAddress } from '../../store/emails/suppression-list.ts';
import { placeOf, runCommand } from '../../testing/command-line.ts';
import { engines } from '../../testing/databases/databases.ts';
import { addProgram, operationIn } from '../../testing/operators.ts';
import { addOperator, kindsOf, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

test('a change to what already is leaves no entry in the audit log', async () => {
  const server = await openTestServer('sqlite', { SECRET_KEY: 'a secret of thirty-two characters' });
  const { client } = await addOperator(server, 'owner');
  const [ada, bob] = [await addOperator(server, undefined), await addOperator(server, 'support')];
  const callback = ['https://wiki.example/callback'];
  const wiki = (await client.post('/operators/applications', { client_name: 'Wiki', redirect_uris: callback })).body;
  const crm = (await client.post('/operators/webhooks', { url: 'https://crm.example/', events: ['account.created'] }))
    .body;
  const changes: [string, string, object][] = [
    ['PATCH', `/operators/people/${ada.id}`, { name: 'Ada Byron', organization: 'Mill' }],
    ['PATCH', `/operators/operators/${bob.id}`, { role: 'viewer' }],
    ['PATCH', `/operators/applications/${wiki.client_id}`, { client_name: 'The wiki' }],
    ['PATCH', `/operators/webhooks/${crm.id}`, { events: ['account.deleted', 'account.created'] }],
    ['POST', `/operators/people/${ada.id}/lock`, {}],
    ['POST', `/operators/people/${ada.id}/unlock`, {}],
    ['DELETE', `/operators/people/${ada.id}`, {}],
  ];
  const entries = async () => Number((await client.get('/operators/audit/verification')).body.entries);
  for (const [method, path, body] of changes) {
    const before = await entries();
    for (const again of [
      body,
      { ...body, ...('events' in body && { events: [...(body.events as string[])].reverse() }) },
    ])
      expect([path, (await client.send(method, path, { body: again })).status]).toEqual([
        path,
        expect.toBeOneOf([200, 204]),
      ]);
    expect([path, await entries()]).toEqual([path, before + 1]);
  }
});

test('viewers get masked contacts until they ask, and each view is in the audit log and once a day in the activity', async () => {
  const server = await openTestServer('sqlite');
  const { id, email, browser } = await register(server);
  const viewer = await addProgram(server, 'viewer');
  const words = { reason: 'no_such_address', told_by: 'smtp', at: server.now() } as const;
  const detail = `<${email.toUpperCase()}> of (01512) 345-6789 is unknown`;
  await suppressAddress(server.store, { ...words, email, detail });
  const { body: found } = await viewer.client.get(`/operators/people?q=${encodeURIComponent(email)}`);
  const { body: shown } = await viewer.client.get(`/operators/people/${id}`);
  expect(shown.email_unreachable_words).toBe('<a***@example.com> of (0151+49…89 is unknown');
  // The page reads several times; opened again later, it is another view.
  const reads = ['', '/timeline', '/timeline?kind=emails', ''].map((of) =>
    viewer.client.get(`/operators/people/${id}${of}`),
  );
  for (const { status } of await Promise.all(reads)) expect(status).toBe(200);
  server.forward(minutes(6));
  await viewer.client.get(`/operators/people/${id}/timeline`);
  expect(JSON.stringify([found, shown])).not.toMatch(new RegExp(`${email}|4915123456789`));
  expect(shown).toMatchObject({
    email: 'a***@example.com',
    phone: '+49…89',
    going_on: expect.arrayContaining([expect.objectContaining({ code: 'can_sign_in' })]),
  });
  const revealed = await viewer.client.post(`/operators/people/${id}/reveal`, { reason: 'she called' });
  expect(revealed.body).toEqual({ email, phone: '+4915123456789' });
  const support = await addProgram(server, 'support');
  expect((await support.client.get(`/operators/people/${id}`)).body).toMatchObject({ email, phone: '+4915123456789' });
  const { body: log } = await support.client.get('/operators/audit');
  const of = log.items.filter(({ account_id }: { account_id: string }) => account_id === id);
  expect(of.map(({ action, actor, reason }: Record<string, string>) => [action, actor, reason])).toEqual([
    ['accounts_found', viewer.id, null],
    ['account_viewed', viewer.id, null],
    ['account_viewed', viewer.id, null],
    ['contact_revealed', viewer.id, 'she called'],
    ['account_viewed', support.id, null],
  ]);
  expect((await support.client.get(`/operators/audit?cursor=${log.next}`)).body.items).toEqual([]);
  const { body: newest } = await support.client.get('/operators/audit/newest?limit=2');
  const { body: older } = await support.client.get(`/operators/audit/newest?limit=2&cursor=${newest.next}`);
  expect([...newest.items, ...older.items]).toEqual(log.items.slice(-4).reverse());
  const newestFor = async (filter: string) =>
    (await support.client.get(`/operators/audit/newest?${filter}`)).body.items.map(({ id }: { id: string }) => id);
  const ids = (items: readonly { id: string }[]) => items.map((one) => one.id).reverse();
  for (const who of [id, encodeURIComponent(email)]) expect(await newestFor(`person=${who}`)).toEqual(ids(of));
  const byKeys = log.items.filter(({ actor_kind }: { actor_kind: string }) => actor_kind === 'key');
  expect(await newestFor('actor_kind=key')).toEqual(ids(byKeys));
  expect(await newestFor(`actor_kind=command&person=${id}`)).toEqual([]);
  const { body: checked } = await support.client.get('/operators/audit/verification');
  expect(checked).toEqual({ entries: log.items.length, faults: [] });
  expect((await kindsOf(browser)).filter((kind) => kind === 'viewed')).toHaveLength(1);
});

test('operators and keys are named where they acted, and a deleted operator by the id', async () => {
  const server = await openTestServer('sqlite');
  const { id, email } = await register(server);
  const owner = await addOperator(server, 'owner');
  await server.store.updateTable('accounts').set({ name: 'Olga' }).where('id', '=', owner.id).execute();
  const key = await addProgram(server, 'support');
  const of = `/operators/people/${id}`;
  await key.client.post(`${of}/email`, { email: 'next@example.org' });
  await key.client.post(`${of}/notes`, { text: 'Calls back.' });
  await owner.client.post(`${of}/lock`);
  const seen = async () => {
    const { going_on, notes } = (await key.client.get(of)).body;
    const timeline = (await key.client.get(`${of}/timeline?kind=operators`)).body.items;
    const log = (await key.client.get('/operators/audit/newest?limit=100')).body.items;
    const lock = log.find(({ action }: { action: string }) => action === 'account_locked');
    const by = going_on.find(({ code }: { code: string }) => code === 'locked_by_operator').params.by;
    return [by, notes[0].actor_name, timeline[0].actor_name, timeline[1].actor_name, lock.actor_name, lock.actor];
  };
  expect(await seen()).toEqual(['Olga', 'support', 'Olga', 'support', 'Olga', owner.id]);
  const changed = (await key.client.get('/operators/audit?limit=1000')).body.items.find(
    ({ action }: { action: string }) => action === 'email_change_requested',
  );
  expect(changed.subject).toBe(`${email[0]}***@example.com → n***@example.org`);
  await server.store.deleteFrom('accounts').where('id', '=', owner.id).execute();
  expect(await seen()).toEqual([owner.id, 'support', null, 'support', null, owner.id]);
  expect((await key.client.get('/operators/audit/verification')).body.faults).toEqual([]);
});

test.each(engines)('a view that a clock ahead has recorded hides no later one, on %s', async (engine) => {
  const server = await openTestServer(engine);
  const { email, browser } = await register(server);
  const account = await findAccountByEmail(server.store, email);
  const view = (ahead: number) =>
    recordView(
      { ...operationIn(server), now: server.now() + ahead },
      { account: account as AccountsTable, action: 'account_viewed' },
    );
  for (const ahead of [hours(1), 0, 0]) await view(ahead);
  expect(await server.store.selectFrom('audit_log').select('action').execute()).toHaveLength(2);
  expect((await kindsOf(browser)).filter((kind) => kind === 'viewed')).toHaveLength(2);
});

test.each(engines)(
  'the log is read, and exported, by person, by who acted, by kind and since a time, on %s',
  async (engine) => {
    const server = await openTestServer(engine);
    const { id } = await register(server);
    const { client } = await addProgram(server, 'support');
    const of = `/operators/people/${id}`;
    await client.get(of);
    await client.post(`${of}/lock`);
    server.forward(days(2));
    await client.get(of);
    await client.post(`${of}/unlock`);
    await client.get('/operators/people?q=nobody');
    const day = iso(server.now() - hours(1)).slice(0, 10);
    const actionsIn = (items: readonly { action: string }[]) => items.map(({ action }) => action);
    const expected: [query: string, words: string[] | undefined, actions: string[]][] = [
      ['kind=views', ['--kind', 'views'], ['accounts_found', 'account_viewed', 'account_viewed']],
      ['kind=changes', ['--kind', 'changes'], ['account_unlocked', 'account_locked']],
      ['kind=settings', ['--kind', 'settings'], ['operator_key_added']],
      [`kind=views&person=${id}`, [id, '--kind', 'views'], ['account_viewed', 'account_viewed']],
      ['kind=settings&actor_kind=key', undefined, []],
      ['', ['--since', day], ['accounts_found', 'account_unlocked', 'account_viewed']],
      ['', ['--since', day, '--kind', 'changes'], ['account_unlocked']],
      ['', ['--since', '2999-01-01'], []],
    ];
    for (const [query, words, actions] of expected) {
      if (query) {
        const newest = (await client.get(`/operators/audit/newest?${query}`)).body.items;
        expect([query, actionsIn(newest)]).toEqual([query, actions]);
        const { body: last } = await client.get(`/operators/audit/newest?limit=1&${query}`);
        expect([query, actionsIn(last.items), last.next === null]).toEqual([
          ...[query, actions.slice(0, 1), actions.length < 2],
        ]);
        expect((await client.get(`/operators/audit?${query}`)).body.items).toEqual(newest.toReversed());
      }
      if (words) {
        const { out: list } = await runCommand(['audit', ...words, '--json'], placeOf(server));
        expect([words, actionsIn(JSON.parse(list).entries)]).toEqual([words, actions]);
      }
    }
    for (const [, words, actions] of expected) {
      if (!words) continue;
      const { out } = await runCommand(['audit', 'export', ...words], placeOf(server));
      const lines = out.split('\n').filter(Boolean);
      const entries = lines.map((line) => JSON.parse(line)).filter(({ action }) => action !== 'audit_exported');
      expect([words, actionsIn(entries)]).toEqual([words, actions.toReversed()]);
    }
    expect(await client.get('/operators/audit/newest?kind=looks')).toSay('422 validation_failed kind not_understood');
    expect((await runCommand(['audit', '--kind', 'looks'], placeOf(server))).code).toBe(2);
  },
);
