import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { shutOut } from '../../access/shut-out.ts';
import { type OperatorRole, operatorRoles } from '../../contract/operators.ts';
import { hours, minutes } from '../../contract/units.ts';
import { deleteAccount, lockAccount } from '../../operations/accounts.ts';
import { audit } from '../../operations/operation.ts';
import { changeRole, removeOperator, revokeOperatorKey } from '../../operations/operators.ts';
import { type AccountsTable, findAccountByEmail } from '../../store/accounts/accounts.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { suppressAddress } from '../../store/emails/suppression-list.ts';
import { disableReceiver } from '../../store/webhooks/record-event.ts';
import { type Client, openClient, statusAndCode } from '../../testing/client.ts';
import { engines, overtake, usualEngines } from '../../testing/databases/databases.ts';
import { addProgram, operationIn, runAllJobs } from '../../testing/operators.ts';
import { addOperator, password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly role: OperatorRole;
  readonly body: object | undefined;
}

interface Described {
  readonly description: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example: object }>> };
}

/** What no operation takes from a request. */
const foreign = {
  ...{ id: 'mine', actor: 'root', actor_kind: 'command', origin: 'elsewhere', created_at: 1, from_file: true },
  ...{ email_proven_at: 1, locked_at: 1, delete_at: 1, second_step_at: 1, password_hash: 'x', hash: 'x' },
};

/** What the document says about each operation of operators, with the example of its body. */
async function operationsOf(server: TestServer): Promise<readonly Operation[]> {
  const { body } = await server.client().get('/operators/openapi.json');
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { description, requestBody }]) => {
      const [, role] = /Needs the role `(\w+)`/.exec(description) ?? [];
      const example = requestBody?.content['application/json']?.example;
      return role
        ? [
            {
              method: method.toUpperCase(),
              path: path.replaceAll(/\{\w+\}/g, 'nobody'),
              role: role as OperatorRole,
              body: example && { ...example, ...foreign },
            },
          ]
        : [];
    }),
  );
}

const ask = (client: Client, { method, path, body }: Operation) => client.send(method, path, { body });

/** How many statements wait for a lock in this database. */
async function lockWaits(trx: StoreTransaction): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database()`.execute(trx);
  return Number(rows[0]?.n);
}

describe.each(engines)('the management API, on %s,', (engine) => {
  /** For what no engine does differently. */
  const onUsual = test.runIf(usualEngines.includes(engine));

  test('lets each caller do what the role allows, and nothing else', async () => {
    const server = await openTestServer(engine);
    const operations = await operationsOf(server);
    expect(operations.length).toBeGreaterThan(20);
    const nobody = server.client();
    await nobody.get('/auth/csrf');
    const expired = await addProgram(server, 'support');
    await server.store
      .updateTable('operator_keys')
      .set({ expires_at: server.now() })
      .where('id', '=', expired.id)
      .execute();
    const revoked = await addProgram(server, 'support');
    await revokeOperatorKey(operationIn(server), revoked.id);
    const elsewhere = await addProgram(server, 'support', ['203.0.113.0/24']);
    const callers: readonly (readonly [string, Client, OperatorRole | undefined, RegExp])[] = [
      ['nobody', nobody, undefined, /^401 not_signed_in$/],
      ['an ordinary user', (await addOperator(server, undefined)).client, undefined, /^403 role_insufficient$/],
      [
        'an owner with one factor',
        (await addOperator(server, 'owner', 'aal1')).client,
        undefined,
        /^401 step_up_required$/,
      ],
      ['an expired key', expired.client, undefined, /^401 not_signed_in$/],
      ['a revoked key', revoked.client, undefined, /^401 not_signed_in$/],
      ['a key from elsewhere', elsewhere.client, undefined, /^401 not_signed_in$/],
      ['a guessed key', Object.assign(openClient(server.url), { token: `vop_${'a'.repeat(43)}` }), undefined, /^401 /],
      ['a key of a viewer', (await addProgram(server, 'viewer')).client, 'viewer', /^403 role_insufficient$/],
      ['a key of support', (await addProgram(server, 'support')).client, 'support', /^403 role_insufficient$/],
      ...(await Promise.all(
        operatorRoles.map(
          async (role) => [role, (await addOperator(server, role)).client, role, /^403 role_insufficient$/] as const,
        ),
      )),
    ] as const;
    for (const [name, client, has, refusal] of callers)
      for (const operation of operations) {
        const allowed = has !== undefined && operatorRoles.indexOf(has) >= operatorRoles.indexOf(operation.role);
        const outcome = statusAndCode(await ask(client, operation));
        const who = `${name}: ${operation.method} ${operation.path}: ${outcome}`;
        if (allowed) expect(outcome, who).toMatch(/^(?:2\d\d|404 not_found|409 (?:account|promo_code|webhook)_exists)/);
        else expect(outcome, who).toMatch(refusal);
      }
    // Nothing of it took a field that it does not name.
    const { store } = server;
    const actors = await store.selectFrom('audit_log').select(['actor_kind', 'origin']).distinct().execute();
    expect(actors.map(({ actor_kind, origin }) => `${actor_kind} ${origin}`).sort()).toEqual([
      'command host',
      ...['key', 'operator'].map((kind) => `${kind} 127.0.0.1`),
    ]);
    const created = store.selectFrom('accounts').selectAll().where('email', '=', 'ann@example.com');
    expect(await created.executeTakeFirst()).toMatchObject({ email_proven_at: null, locked_at: null, delete_at: null });
    expect(await store.selectFrom('clients').select('id').where('from_file', '=', 1).execute()).toEqual([]);
    const keys = await store.selectFrom('operator_keys').select('id').where('hash', '=', 'x').execute();
    expect(keys).toEqual([]);
  });

  onUsual('refuses each change without the CSRF token, and each request of another site', async () => {
    const server = await openTestServer(engine);
    const { client } = await addOperator(server, 'owner');
    for (const { method, path, body } of await operationsOf(server)) {
      if (method === 'GET') continue;
      const forged = await client.send(method, path, { body, headers: { 'x-csrf-token': 'x' } });
      expect([method, path, statusAndCode(forged)]).toEqual([method, path, '403 csrf_failed']);
      const foreign = await client.send(method, path, { body, headers: { 'sec-fetch-site': 'cross-site' } });
      expect([method, path, statusAndCode(foreign)]).toEqual([method, path, '403 csrf_failed']);
    }
  });

  onUsual('limits a flood of searches without harm to others, and guesses of viewers', async () => {
    const server = await openTestServer(engine);
    const [flooding, other, viewer] = [
      await addProgram(server, 'support'),
      await addProgram(server, 'support'),
      await addProgram(server, 'viewer'),
    ];
    const { email } = await register(server);
    const find = (client: Client, q: string) => client.get(`/operators/people?q=${encodeURIComponent(q)}`);
    const flood = Array.from({ length: 130 }, () => find(flooding.client, 'a'));
    const others = [find(other.client, email), server.client().post('/auth/login', { email, password })];
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200]);
    const outcomes = (await Promise.all(flood)).map(statusAndCode);
    expect(outcomes.filter((one) => one === '429 too_many_requests')).toHaveLength(30);
    const guesses = Array.from({ length: 70 }, (_, at) => find(viewer.client, `+4915771000${100 + at}`));
    const guessed = (await Promise.all(guesses)).map(statusAndCode);
    expect(guessed.filter((one) => one === '429 too_many_requests')).toHaveLength(10);
    expect((await find(viewer.client, 'berg')).status).toBe(200);
  });

  test('notices a role or a key that is lost midway', async () => {
    const server = await openTestServer(engine);
    const { id } = await register(server);
    const lock = (client: Client) => client.post(`/operators/people/${id}/lock`);
    const supporter = await addOperator(server, 'support');
    const key = await addProgram(server, 'support');
    /** The request passes the first check and finds the row of the person in use, while its caller loses the right. */
    async function outcomeOf(client: Client, lose: (trx: StoreTransaction) => Promise<unknown>): Promise<string> {
      const [request] = await server.store.transaction().execute(async (trx) => {
        await trx.updateTable('accounts').set({ name: 'In use' }).where('id', '=', id).execute();
        const begun = lock(client);
        while (engine === 'postgres' && (await lockWaits(trx)) === 0) await pause(20);
        await lose(trx);
        return [begun];
      });
      return statusAndCode(await (request as ReturnType<typeof lock>));
    }
    const losesRole = (trx: StoreTransaction) =>
      trx.updateTable('operators').set({ role: 'viewer' }).where('account_id', '=', supporter.id).execute();
    const losesKey = (trx: StoreTransaction) =>
      trx.updateTable('operator_keys').set({ revoked_at: 1 }).where('id', '=', key.id).execute();
    expect(await outcomeOf(supporter.client, losesRole)).toBe('403 role_insufficient');
    expect(await outcomeOf(key.client, losesKey)).toBe('401 not_signed_in');
  });

  test('what an operator gave to others is in doubt once the account is shut out or loses the role within 72 hours', async () => {
    const server = await openTestServer(engine, { SECRET_KEY: 'a secret of thirty-two characters' });
    const [thief, owner] = [await addOperator(server, 'owner'), await addOperator(server, 'owner')];
    const callback = (host: string) => ({ client_name: host, redirect_uris: [`https://${host}.example/callback`] });
    const add = async ({ client }: typeof owner, host: string) => {
      const url = `https://${host}.example/`;
      const receiver = await client.post('/operators/webhooks', { url, events: ['account.created'] });
      const application = await client.post('/operators/applications', callback(host));
      return { receiver: receiver.body.id, application: application.body.client_id };
    };
    const old = await add(thief, 'old');
    server.forward(hours(73));
    for (const { client } of [thief, owner]) await client.post('/auth/refresh');
    await server.store.updateTable('sessions').set({ proven_at: server.now() }).execute();
    const fresh = await add(thief, 'fresh');
    const others = await add(owner, 'others');
    const changed = await add(owner, 'changed');
    await thief.client.post(`/operators/webhooks/${changed.receiver}/secrets`);
    await thief.client.send('PATCH', `/operators/applications/${changed.application}`, { body: { first_party: true } });
    await lockAccount(operationIn(server), thief);
    const doubted = async () => {
      const receivers = (await owner.client.get('/operators/webhooks')).body.items;
      const applications = (await owner.client.get('/operators/applications')).body.items;
      const ids = (items: readonly { doubt: { by: string } | null }[], id: string) =>
        items.flatMap((one) => (one.doubt?.by === thief.id ? [(one as unknown as Record<string, string>)[id]] : []));
      return { receivers: ids(receivers, 'id').sort(), applications: ids(applications, 'client_id').sort() };
    };
    expect(await doubted()).toEqual({
      receivers: [fresh.receiver, changed.receiver].sort(),
      applications: [fresh.application, changed.application].sort(),
    });
    await register(server);
    const deliveries = await server.store.selectFrom('webhook_deliveries').select('receiver').distinct().execute();
    expect(deliveries.map(({ receiver }) => receiver).sort()).toEqual([old.receiver, others.receiver].sort());
    const concerns = async () =>
      (await owner.client.get('/operators/today')).body.items
        .map(({ code, params }: { code: string; params: Record<string, string> }) => [
          code,
          params.receiver ?? params.application,
        ])
        .filter(([code]: string[]) => code?.endsWith('_doubted') || code === 'webhooks_disabled');
    expect((await concerns()).sort()).toEqual([
      ['application_doubted', 'changed'],
      ['application_doubted', 'fresh'],
      ['receiver_doubted', 'https://changed.example/'],
      ['receiver_doubted', 'https://fresh.example/'],
    ]);
    for (const id of [changed.receiver, fresh.receiver])
      expect((await owner.client.post(`/operators/webhooks/${id}/enable`)).status).toBe(204);
    const confirm = (id: string) => owner.client.post(`/operators/applications/${id}/confirm`);
    expect((await confirm(fresh.application)).status).toBe(204);
    expect(await confirm(fresh.application)).toSay('404 not_found');
    expect(
      (await owner.client.send('DELETE', `/operators/applications/${changed.application}`, { body: {} })).status,
    ).toBe(204);
    expect(await concerns()).toEqual([]);
    // Whoever trusted them may lose the role as well.
    const { store } = server;
    const last = await addOperator(server, 'owner');
    const accountOf = async ({ email }: typeof owner) => (await findAccountByEmail(store, email)) as AccountsTable;
    const receiver = store.selectFrom('webhook_receivers').select('doubted_by').where('id', '=', fresh.receiver);
    const application = store.selectFrom('clients').select('doubted_by').where('id', '=', fresh.application);
    const doubtedBy = async () => [...(await receiver.execute()), ...(await application.execute())];
    await changeRole(operationIn(server), { account: await accountOf(owner), role: 'support' });
    expect(await doubtedBy()).toEqual([{ doubted_by: owner.id }, { doubted_by: owner.id }]);
    await last.client.post(`/operators/webhooks/${fresh.receiver}/enable`);
    await last.client.post(`/operators/applications/${fresh.application}/confirm`);
    await changeRole(operationIn(server), { account: await accountOf(owner), role: 'viewer' });
    expect(await doubtedBy()).toEqual([{ doubted_by: null }]);
    await addOperator(server, 'owner');
    await removeOperator(operationIn(server), await accountOf(last));
    expect(await doubtedBy()).toEqual([{ doubted_by: last.id }, { doubted_by: last.id }]);
  });

  test('an operator who is shut out gives nothing more to others, also at that moment', async () => {
    const server = await openTestServer(engine, { SECRET_KEY: 'a secret of thirty-two characters' });
    const [thief, owner] = [await addOperator(server, 'owner'), await addOperator(server, 'owner')];
    const gone = { url: 'https://gone.example/', events: ['account.created'] };
    const { id } = (await owner.client.post('/operators/webhooks', gone)).body;
    await disableReceiver(server.store, { id, at: server.now() });
    const enabling = overtake(server.store, {
      async change(trx) {
        const account = (await findAccountByEmail(trx, thief.email)) as AccountsTable;
        const operation = { ...operationIn(server), store: trx };
        await audit(trx, operation, { action: 'account_locked', accountId: account.id, subject: account.id });
        await shutOut(trx, { account, cause: 'locked', at: server.now(), parts: operation.parts });
      },
      send: () => thief.client.post(`/operators/webhooks/${id}/enable`),
    });
    expect(await enabling).toSay('401 not_signed_in');
    const receivers = server.store.selectFrom('webhook_receivers').select(['id', 'doubted_by']);
    expect(await receivers.execute()).toEqual([{ id, doubted_by: null }]);
  });

  onUsual('support and keys change nothing about operators, and nobody locks the last owner', async () => {
    const server = await openTestServer(engine);
    const [owner, other] = [await addOperator(server, 'owner'), await addOperator(server, 'owner')];
    const locked = await addOperator(server, 'viewer');
    const support = await addOperator(server, 'support');
    const key = await addProgram(server, 'support');
    const of = `/operators/people/${other.id}`;
    const changes: [string, string, object][] = [
      ['POST', `${of}/lock`, {}],
      ['POST', `/operators/people/${locked.id}/unlock`, {}],
      ['POST', `${of}/end-sessions`, {}],
      ['POST', `${of}/reset`, {}],
      ['POST', `${of}/resend`, {}],
      ['POST', `${of}/email`, { email: 'thief@example.com' }],
      ['PUT', `${of}/groups/staff`, {}],
      ['PATCH', of, { name: 'Thief' }],
      ['DELETE', of, {}],
    ];
    await server.store.updateTable('accounts').set({ locked_at: 1 }).where('id', '=', locked.id).execute();
    for (const { client } of [support, key])
      for (const [method, path, body] of changes) {
        const refused = statusAndCode(await client.send(method, path, { body }));
        expect([method, path, refused]).toEqual([method, path, '403 role_insufficient']);
      }
    expect((await key.client.get(of)).status).toBe(200);
    const { body } = await key.client.post('/operators/people/bulk', { ids: [other.id], act: 'reset' });
    await runAllJobs(server);
    expect((await key.client.get(`/operators/jobs/${body.id}`)).body.failures).toMatchObject([
      { id: other.id, code: 'role_insufficient' },
    ]);
    expect((await owner.client.post(`${of}/lock`, {})).status).toBe(200);
    const last = `/operators/people/${owner.id}`;
    expect(await owner.client.post(`${last}/lock`, {})).toSay('409 last_owner');
    expect(await owner.client.send('DELETE', '/account', { body: {} })).toSay('409 last_owner');
  });

  onUsual('what was read with an idempotency key is not kept, and gone with the account', async () => {
    const server = await openTestServer(engine);
    const { client } = await addProgram(server, 'support');
    const { id, email } = await addOperator(server, undefined);
    const read = (what: string) =>
      client.send('POST', `/operators/people/${id}/${what}`, { body: {}, headers: { 'idempotency-key': what } });
    expect((await read('export')).status).toBe(200);
    expect((await read('reveal')).body).toMatchObject({ email });
    const account = await findAccountByEmail(server.store, email);
    if (account) await deleteAccount(operationIn(server), account);
    for (const what of ['export', 'reveal']) expect((await read(what)).status).toBe(404);
  });

  test('makes a change once for one idempotency key, also if two requests arrive at the same moment', async () => {
    const server = await openTestServer(engine);
    const { client } = await addProgram(server, 'support');
    const create = (key: string, name = 'Ada') =>
      client.post(
        '/operators/people',
        { email: `${key}@mail.example`, name, locale: 'en' },
        { 'idempotency-key': key },
      );
    const parallel = await Promise.all(Array.from({ length: 10 }, () => create('one')));
    for (const one of parallel)
      expect(['201', '409 already_done']).toContain(one.status === 201 ? '201' : statusAndCode(one));
    const again = await create('one');
    expect(again.status).toBe(201);
    expect(new Set([...parallel, again].map(({ body }) => body.id).filter(Boolean)).size).toBe(1);
    expect(await create('one', 'Eve')).toSay('422 idempotency_key_reused');
    const other = await addProgram(server, 'support');
    const ofOther = await other.client.post(
      '/operators/people',
      { email: 'two@mail.example', name: 'Bob', locale: 'en' },
      { 'idempotency-key': 'one' },
    );
    expect(ofOther.status).toBe(201);
  });

  test('answers a repeated request alike also if it changed nothing, or the state has changed since', async () => {
    const server = await openTestServer(engine);
    const { client } = await addProgram(server, 'support');
    const { id } = await addOperator(server, undefined);
    const of = `/operators/people/${id}`;
    const unlock = () => client.post(`${of}/unlock`, {}, { 'idempotency-key': 'unlock' });
    expect((await unlock()).status).toBe(204);
    await client.post(`${of}/lock`);
    expect((await unlock()).status).toBe(204);
    expect((await client.get(of)).body.locked_at).not.toBeNull();
    const retry = (ids: string[]) => client.post('/operators/emails/retry', { ids }, { 'idempotency-key': 'retry' });
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => retry(['gone'])));
    for (const outcome of outcomes) expect(outcome.body).toEqual({ retried: [] });
    expect(await retry(['other'])).toSay('422 idempotency_key_reused');
    // A refusal is not kept: its cause may be gone.
    const allow = () => client.post('/operators/suppressed/allow', { who: id }, { 'idempotency-key': 'allow' });
    expect(await allow()).toSay('404 not_found');
    const { email = '' } = (await client.get(of)).body;
    const words = { reason: 'no_such_address', told_by: 'smtp', at: server.now(), detail: '550' } as const;
    await suppressAddress(server.store, { ...words, email });
    expect((await allow()).status).toBe(204);
  });

  test('refuses what no database can store', async () => {
    const server = await openTestServer(engine);
    const { client } = await addProgram(server, 'support');
    const { body } = await client.post('/operators/people', { email: 'a@mail.example', name: 'Ada', locale: 'en' });
    for (const response of [
      await client.get('/operators/people?q=%00'),
      await client.post('/operators/suppressed/allow', { who: 'a\0' }),
      await client.post('/operators/emails/retry', { ids: ['\0'] }),
      await client.post(`/operators/people/${body.id}/lock`, { reason: 'a\0' }),
    ])
      expect(response).toSay('400 malformed_request');
  });
});

test('operators need a recent proof, and a request every 30 minutes', async () => {
  const server = await openTestServer('sqlite');
  const { client, id } = await addOperator(server, 'owner');
  const lock = () => client.post(`/operators/people/${id}/unlock`);
  expect((await lock()).status).toBe(204);
  const renew = async () => expect((await client.post('/auth/refresh')).status).toBe(200);
  server.forward(minutes(16));
  await renew();
  expect(await lock()).toSay('401 step_up_required');
  expect((await client.get('/operators/me')).body).toEqual({ kind: 'operator', id, role: 'owner' });
  server.forward(minutes(31));
  await renew();
  expect(await client.get('/operators/me')).toSay('401 step_up_required');
});

test('nobody becomes an operator without an invitation to the own address, with two factors', async () => {
  const server = await openTestServer('sqlite');
  const owner = await addOperator(server, 'owner');
  const guest = await addOperator(server, undefined);
  const invite = async (email: string) =>
    (await owner.client.post('/operators/invitations', { email, role: 'viewer' })).body.invitation;
  const accept = (client: Client, invitation: string) => client.post('/operators/invitations/accept', { invitation });
  const invitation = await invite(guest.email);
  expect(await accept(guest.client, 'a'.repeat(43))).toSay('410 invitation_invalid');
  expect(await accept((await addOperator(server, undefined)).client, invitation)).toSay('410 invitation_invalid');
  expect(await accept((await addOperator(server, undefined, 'aal1')).client, invitation)).toSay('401 step_up_required');
  expect((await accept(guest.client, invitation)).body).toEqual({ role: 'viewer' });
  server.forward(minutes(1));
  expect(await accept(guest.client, invitation)).toSay('410 invitation_invalid');
  const revoked = await invite(guest.email);
  const [open] = (await owner.client.get('/operators/invitations')).body.items;
  expect(open).toMatchObject({ email: guest.email, role: 'viewer', added_by: owner.id, added_by_name: 'Anna Berg' });
  expect(JSON.stringify(open)).not.toContain(revoked);
  expect((await owner.client.send('DELETE', `/operators/invitations/${open.id}`, { body: {} })).status).toBe(204);
  expect(await accept(guest.client, revoked)).toSay('410 invitation_invalid');
  expect((await owner.client.get('/operators/invitations')).body.items).toEqual([]);
  const again = await owner.client.send('DELETE', `/operators/invitations/${open.id}`, { body: {} });
  expect(again).toSay('404 not_found');
  const late = await invite(guest.email);
  server.forward(minutes(30));
  await guest.client.post('/auth/refresh');
  await server.store.updateTable('sessions').set({ proven_at: server.now() }).execute();
  expect(await accept(guest.client, late)).toSay('410 invitation_invalid');
});

test('CONSOLE_REASONS=required refuses every change without a reason, and nothing else', async () => {
  const server = await openTestServer('sqlite', { CONSOLE_REASONS: 'required' });
  const { client } = await addOperator(server, 'owner');
  for (const { method, path, body } of await operationsOf(server)) {
    const isChange = method !== 'GET';
    const outcome = statusAndCode(await client.send(method, path, isChange ? { body: { ...body, reason: ' ' } } : {}));
    if (!isChange) expect([path, outcome]).toEqual([path, expect.stringMatching(/^(?:200|404)/)]);
    else expect([method, path, outcome]).toEqual([method, path, '422 validation_failed reason required']);
  }
});

test.each([
  ['CONSOLE', { CONSOLE: 'off' }],
  ['CONSOLE_ADDRESSES', { CONSOLE_ADDRESSES: '203.0.113.0/24' }],
])('%s hides the management API', async (_name, settings: Record<string, string>) => {
  const server = await openTestServer('sqlite', settings);
  const { client } = await addProgram(server, 'support');
  expect((await client.get('/operators/me')).status).toBe(404);
  expect((await client.get('/operators/people')).status).toBe(404);
});
