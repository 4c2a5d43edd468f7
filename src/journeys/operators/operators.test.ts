import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { ActivityKind } from '../../contract/activity-kinds.ts';
import { type JobStop, type OperatorRole, operatorRoles } from '../../contract/operator-roles.ts';
import { timelineKinds } from '../../contract/timeline.ts';
import { days, hours, minutes } from '../../contract/units.ts';
import { deleteAccount, lockAccount } from '../../operations/accounts.ts';
import { runJobs } from '../../operations/jobs.ts';
import { addOperatorKey, revokeOperatorKey } from '../../operations/operators.ts';
import { openSecrets } from '../../server/keys/stored-keys.ts';
import { accountParts } from '../../server/wings.ts';
import { findAccountByEmail } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../../store/database.ts';
import { suppressedReason } from '../../store/emails/outbox.ts';
import { suppressAddress } from '../../store/emails/suppression-list.ts';
import { setOperator } from '../../store/operators/operators.ts';
import { limitKey } from '../../store/rate-limits.ts';
import { type Client, openClient, statusAndCode } from '../../testing/client.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { addComputer, kindsOf, password, register } from '../../testing/people.ts';
import { secretsIn } from '../../testing/secrets-in-mail.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const operator = { kind: 'command', actor: 'root', origin: 'host', reason: undefined } as const;
const operationIn = ({ store, now }: TestServer) => ({ store, parts: accountParts, operator, now: now() });

/** What a regular job does. */
const runAll = (server: TestServer) =>
  runJobs({ ...server, parts: accountParts, secrets: openSecrets(server.config), keyring: {} as never }, (error) => {
    throw error;
  });

/** A program with a new key. */
async function program(server: TestServer, role: 'viewer' | 'support', addresses: readonly string[] = []) {
  const expiresAt = server.now() + days(30);
  const { id, key } = await addOperatorKey(operationIn(server), { name: role, role, addresses, expiresAt });
  return { id, client: Object.assign(openClient(server.url), { token: key }) };
}

/** A signed-in operator with two factors. */
async function person(server: TestServer, role: OperatorRole | undefined, acr: 'aal1' | 'aal2' = 'aal2') {
  const { id, email, browser } = await register(server);
  await server.store.updateTable('sessions').set({ acr }).where('account_id', '=', id).execute();
  if (role)
    await server.store
      .transaction()
      .execute((trx) => setOperator(trx, { account_id: id, role, added_at: server.now() }));
  return { id, email, client: browser };
}

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
    const expired = await program(server, 'support');
    await server.store
      .updateTable('operator_keys')
      .set({ expires_at: server.now() })
      .where('id', '=', expired.id)
      .execute();
    const revoked = await program(server, 'support');
    await revokeOperatorKey(operationIn(server), revoked.id);
    const elsewhere = await program(server, 'support', ['203.0.113.0/24']);
    const callers: readonly (readonly [string, Client, OperatorRole | undefined, RegExp])[] = [
      ['nobody', nobody, undefined, /^401 not_signed_in$/],
      ['an ordinary user', (await person(server, undefined)).client, undefined, /^403 role_insufficient$/],
      ['an owner with one factor', (await person(server, 'owner', 'aal1')).client, undefined, /^401 step_up_required$/],
      ['an expired key', expired.client, undefined, /^401 not_signed_in$/],
      ['a revoked key', revoked.client, undefined, /^401 not_signed_in$/],
      ['a key from elsewhere', elsewhere.client, undefined, /^401 not_signed_in$/],
      ['a guessed key', Object.assign(openClient(server.url), { token: `vop_${'a'.repeat(43)}` }), undefined, /^401 /],
      ['a key of a viewer', (await program(server, 'viewer')).client, 'viewer', /^403 role_insufficient$/],
      ['a key of support', (await program(server, 'support')).client, 'support', /^403 role_insufficient$/],
      ...(await Promise.all(
        operatorRoles.map(
          async (role) => [role, (await person(server, role)).client, role, /^403 role_insufficient$/] as const,
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
    const { client } = await person(server, 'owner');
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
      await program(server, 'support'),
      await program(server, 'support'),
      await program(server, 'viewer'),
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
    const supporter = await person(server, 'support');
    const key = await program(server, 'support');
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

  test('acts once for each of many people, by any number of nodes, and lists for whom it failed', async () => {
    const server = await openTestServer(engine);
    const { client } = await program(server, 'support');
    const owner = await person(server, 'owner');
    const others = [await person(server, undefined), await person(server, undefined)];
    const { name } = (await findAccountByEmail(server.store, owner.email)) ?? {};
    const ids = [owner.id, 'nobody', ...others.map(({ id }) => id), 'nobody'];
    const { body, status } = await client.post('/operators/people/bulk', { ids, act: 'delete', reason: 'left' });
    expect(status).toBe(202);
    const read = async () => (await client.get(`/operators/jobs/${body.id}`)).body;
    expect(await read()).toMatchObject({ act: 'delete', total: 4, done: 0, failures: [], finished_at: null });
    expect(await read()).toMatchObject({ actor_kind: 'key', actor_name: 'support', reason: 'left' });
    await Promise.all([runAll(server), runAll(server)]);
    const people = async (query: string) => (await client.get(`/operators/jobs/${body.id}/people?${query}`)).body;
    const first = await people('limit=3');
    const names = await Promise.all(
      others.map(async (one) => (await findAccountByEmail(server.store, one.email))?.name),
    );
    expect([...first.items, ...(await people(`limit=3&cursor=${first.next}`)).items]).toEqual([
      { id: owner.id, name, state: 'failed' },
      { id: 'nobody', name: null, state: 'failed' },
      ...others.map(({ id }, at) => ({ id, name: names[at], state: 'done' })),
    ]);
    for (const list of [`jobs/${body.id}/people`, 'jobs', 'audit/newest'])
      expect(await client.get(`/operators/${list}?cursor=junk`)).toSay('422 validation_failed cursor not_understood');
    expect((await client.get('/operators/jobs')).body).toMatchObject({
      items: [{ id: body.id, act: 'delete', total: 4, failed: 2, actor_name: 'support' }],
      next: null,
    });
    expect(await read()).toMatchObject({
      reason: 'left',
      done: 4,
      failures: [
        { id: owner.id, name, code: 'last_owner' },
        { id: 'nobody', name: null, code: 'not_found' },
      ],
      finished_at: expect.any(String),
    });
    const { body: log } = await client.get('/operators/audit');
    const planned = log.items.filter(({ action }: { action: string }) => action === 'deletion_planned');
    expect(planned.map(({ account_id, reason }: Record<string, string>) => [account_id, reason])).toEqual(
      others.map(({ id }) => [id, 'left']),
    );
    const begun = log.items.find(({ action }: { action: string }) => action === 'job_begun');
    expect(begun).toMatchObject({ job_id: body.id, subject: `delete: 4 accounts (${body.id})` });
    // The reason may name people, and is gone with them.
    for (const { email } of others) {
      const account = await findAccountByEmail(server.store, email);
      if (account) await deleteAccount(operationIn(server), account);
    }
    expect((await read()).reason).toBeNull();
  });

  test('acts for 1,000 people, and refuses one more', async () => {
    const server = await openTestServer(engine);
    const { client } = await program(server, 'support');
    const ids = Array.from({ length: 1001 }, () => randomUUID());
    const begin = (some: readonly string[]) => client.post('/operators/people/bulk', { ids: some, act: 'lock' });
    const { body, status } = await begin(ids.slice(1));
    expect(status).toBe(202);
    expect((await client.get(`/operators/jobs/${body.id}`)).body).toMatchObject({ total: 1000, done: 0 });
    expect(await begin(ids)).toSay('422 validation_failed ids not_understood');
  });

  test('limits the emails with a link to one person, and those of one key, also in a job', async () => {
    const server = await openTestServer(engine);
    const [{ client }, other] = [await program(server, 'support'), await program(server, 'support')];
    const [ada, bob] = [await person(server, undefined), await person(server, undefined)];
    const send = (by: Client, { id }: { readonly id: string }) => by.post(`/operators/people/${id}/reset`);
    for (let sent = 0; sent < 5; sent += 1)
      expect((await send(sent % 2 ? client : other.client, ada)).status).toBe(202);
    const refused = await send(client, ada);
    expect(refused).toSay('429 too_many_mails');
    expect(refused.body.minutes).toBeGreaterThan(23 * 60);
    const key = limitKey('operators-links-by', other.id);
    await server.store.insertInto('limit_hits').values({ id: 'h', key, at: server.now(), units: 1000 }).execute();
    expect(await send(other.client, bob)).toSay('429 too_many_mails');
    const invited = { email: 'new@mail.example', name: 'Eve', locale: 'en' };
    expect(await other.client.post('/operators/people', invited)).toSay('429 too_many_mails');
    expect((await send(client, bob)).status).toBe(202);
    const { body } = await client.post('/operators/people/bulk', { ids: [ada.id, bob.id], act: 'reset' });
    await runAll(server);
    expect((await client.get(`/operators/jobs/${body.id}`)).body).toMatchObject({
      done: 2,
      failures: [{ id: ada.id, code: 'too_many_mails' }],
    });
    server.forward(days(1));
    expect((await send(client, ada)).status).toBe(202);
  });

  test('neither operators nor an owner use up the changes of address of the other', async () => {
    const server = await openTestServer(engine);
    const { client } = await program(server, 'support');
    const { id, client: owner } = await person(server, undefined);
    const byOwner = (email: string) => owner.post('/account/email', { email, password });
    const byOperator = (email: string) => client.post(`/operators/people/${id}/email`, { email });
    for (let at = 0; at < 5; at += 1) expect((await byOwner(`new${at % 2}@mail.example`)).status).toBe(202);
    expect(await byOwner('new0@mail.example')).toSay('429 too_many_mails');
    for (let at = 0; at < 5; at += 1) expect((await byOperator('new0@mail.example')).status).toBe(202);
    expect(await byOperator('new0@mail.example')).toSay('429 too_many_mails');
    server.forward(hours(1));
    await owner.post('/auth/refresh');
    expect((await byOwner('new0@mail.example')).status).toBe(202);
    const { id: by } = (await client.get('/operators/me')).body;
    const key = limitKey('operators-links-by', by);
    await server.store.insertInto('limit_hits').values({ id: 'h', key, at: server.now(), units: 1000 }).execute();
    expect(await byOperator('new1@mail.example')).toSay('429 too_many_mails');
  });

  test.each<[JobStop, (server: TestServer, operator: Awaited<ReturnType<typeof person>>) => Promise<unknown>]>([
    ['account', (server, { id }) => lockAccount(operationIn(server), { id })],
    ['role', ({ store }, { id }) => store.deleteFrom('operators').where('account_id', '=', id).execute()],
    [
      'password',
      async (server, { email }) => {
        server.forward(minutes(1));
        await server.client().post('/auth/recovery', { email, locale: 'en' });
        const set = { email, hash: await secretsIn(server, email).resetLink(), password, password_repeat: password };
        expect((await server.client().post('/auth/reset-password', set)).status).toBe(204);
      },
    ],
  ])('a job stops for everyone left once its operator has lost the %s, and forgets its reason', async (why, loses) => {
    const server = await openTestServer(engine);
    const support = await person(server, 'support');
    const others = [await person(server, undefined), await person(server, undefined)];
    const ids = others.map(({ id }) => id);
    const asked = { ids, act: 'lock', reason: 'for ann@example.com' };
    const { body } = await support.client.post('/operators/people/bulk', asked);
    await loses(server, support);
    await runAll(server);
    const { client } = await program(server, 'support');
    const of = `/operators/jobs/${body.id}`;
    expect((await client.get(of)).body).toMatchObject({
      ...{ done: 0, total: 2, failures: [], stopped: why },
      ...{ actor_name: expect.any(String), finished_at: expect.any(String) },
    });
    const people = (await client.get(`${of}/people`)).body.items;
    expect(people.map(({ state }: { state: string }) => state)).toEqual(['stopped', 'stopped']);
    const log = (await client.get('/operators/audit?limit=1000')).body.items;
    expect(log).toContainEqual(
      expect.objectContaining({ action: 'job_stopped', subject: `lock: 0 of 2 accounts (${body.id})` }),
    );
    const locked = (await client.get('/operators/people?state=locked')).body.items;
    expect(locked.filter(({ id }: { id: string }) => ids.includes(id))).toEqual([]);
    const kept = ['operator_jobs', 'audit_log'].map((table) => sql`select * from ${sql.table(table)}`);
    for (const rows of kept) expect(JSON.stringify(await rows.execute(server.store))).not.toContain('ann@');
  });

  test('what an operator gave to others is in doubt once the account is shut out within 72 hours', async () => {
    const server = await openTestServer(engine, { SECRET_KEY: 'a secret of thirty-two characters' });
    const [thief, owner] = [await person(server, 'owner'), await person(server, 'owner')];
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
    // Whoever trusted them may be shut out as well.
    await person(server, 'owner');
    await lockAccount(operationIn(server), owner);
    const by = { doubted_by: owner.id };
    const { store } = server;
    const receiver = store.selectFrom('webhook_receivers').select('doubted_by').where('id', '=', fresh.receiver);
    const application = store.selectFrom('clients').select('doubted_by').where('id', '=', fresh.application);
    expect([await receiver.execute(), await application.execute()]).toEqual([[by], [by]]);
  });

  onUsual('a job stops when its key is revoked', async () => {
    const server = await openTestServer(engine);
    const key = await program(server, 'support');
    const { id } = await person(server, undefined);
    const { body } = await key.client.post('/operators/people/bulk', { ids: [id], act: 'lock' });
    await revokeOperatorKey(operationIn(server), key.id);
    await runAll(server);
    const { client } = await program(server, 'support');
    expect((await client.get(`/operators/jobs/${body.id}`)).body).toMatchObject({
      stopped: 'key',
      actor_name: 'support',
    });
    expect((await client.get('/operators/people?state=locked')).body.items).toEqual([]);
  });

  onUsual('support and keys change nothing about operators, and nobody locks the last owner', async () => {
    const server = await openTestServer(engine);
    const [owner, other] = [await person(server, 'owner'), await person(server, 'owner')];
    const support = await person(server, 'support');
    const key = await program(server, 'support');
    const of = `/operators/people/${other.id}`;
    const changes: [string, string, object][] = [
      ['POST', `${of}/lock`, {}],
      ['POST', `${of}/unlock`, {}],
      ['POST', `${of}/end-sessions`, {}],
      ['POST', `${of}/reset`, {}],
      ['POST', `${of}/resend`, {}],
      ['POST', `${of}/email`, { email: 'thief@example.com' }],
      ['PUT', `${of}/groups/staff`, {}],
      ['PATCH', of, { name: 'Thief' }],
      ['DELETE', of, {}],
    ];
    for (const { client } of [support, key])
      for (const [method, path, body] of changes) {
        const refused = statusAndCode(await client.send(method, path, { body }));
        expect([method, path, refused]).toEqual([method, path, '403 role_insufficient']);
      }
    expect((await key.client.get(of)).status).toBe(200);
    const { body } = await key.client.post('/operators/people/bulk', { ids: [other.id], act: 'reset' });
    await runAll(server);
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
    const { client } = await program(server, 'support');
    const { id, email } = await person(server, undefined);
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
    const { client } = await program(server, 'support');
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
    const other = await program(server, 'support');
    const ofOther = await other.client.post(
      '/operators/people',
      { email: 'two@mail.example', name: 'Bob', locale: 'en' },
      { 'idempotency-key': 'one' },
    );
    expect(ofOther.status).toBe(201);
  });

  test('answers a repeated request alike also if it changed nothing, or the state has changed since', async () => {
    const server = await openTestServer(engine);
    const { client } = await program(server, 'support');
    const { id } = await person(server, undefined);
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
    const { client } = await program(server, 'support');
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
  const { client, id } = await person(server, 'owner');
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
  const owner = await person(server, 'owner');
  const guest = await person(server, undefined);
  const invite = async (email: string) =>
    (await owner.client.post('/operators/invitations', { email, role: 'viewer' })).body.invitation;
  const accept = (client: Client, invitation: string) => client.post('/operators/invitations/accept', { invitation });
  const invitation = await invite(guest.email);
  expect(await accept(guest.client, 'a'.repeat(43))).toSay('410 invitation_invalid');
  expect(await accept((await person(server, undefined)).client, invitation)).toSay('410 invitation_invalid');
  expect(await accept((await person(server, undefined, 'aal1')).client, invitation)).toSay('401 step_up_required');
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

test('a change to what already is leaves no entry in the audit log', async () => {
  const server = await openTestServer('sqlite', { SECRET_KEY: 'a secret of thirty-two characters' });
  const { client } = await person(server, 'owner');
  const [ada, bob] = [await person(server, undefined), await person(server, 'support')];
  const callback = ['https://wiki.example/callback'];
  const wiki = (await client.post('/operators/applications', { client_name: 'Wiki', redirect_uris: callback })).body;
  const crm = (await client.post('/operators/webhooks', { url: 'https://crm.example/', events: ['account.created'] }))
    .body;
  const changes: [string, string, object][] = [
    ['PATCH', `/operators/people/${ada.id}`, { name: 'Ada Byron', organization: 'Mill' }],
    ['PATCH', `/operators/operators/${bob.id}`, { role: 'viewer' }],
    ['PATCH', `/operators/applications/${wiki.client_id}`, { client_name: 'The wiki' }],
    ['PATCH', `/operators/webhooks/${crm.id}`, { events: ['account.deleted', 'account.created'] }],
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

test('an operation ignores fields that it does not name', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await program(server, 'support');
  const more = { id: 'mine', role: 'owner', email_proven_at: 1, locked_at: 1, password_hash: 'x', second_step_at: 1 };
  const created = await client.post('/operators/people', {
    email: 'ada@mail.example',
    name: 'Ada',
    locale: 'en',
    ...more,
  });
  const { id } = created.body;
  await client.send('PATCH', `/operators/people/${id}`, {
    body: { name: 'Ada Byron', email: 'eve@mail.example', ...more },
  });
  const row = await findAccountByEmail(server.store, 'ada@mail.example');
  expect(row).toMatchObject({ id, name: 'Ada Byron', email_proven_at: null, locked_at: null, second_step_at: null });
  expect(row?.password_hash).not.toBe('x');
  expect(await server.store.selectFrom('operators').selectAll().execute()).toEqual([]);
});

test('viewers get masked contacts until they ask, and each view is in the audit log and once a day in the activity', async () => {
  const server = await openTestServer('sqlite');
  const { id, email, browser } = await register(server);
  const viewer = await program(server, 'viewer');
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
  const support = await program(server, 'support');
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
  const owner = await person(server, 'owner');
  await server.store.updateTable('accounts').set({ name: 'Olga' }).where('id', '=', owner.id).execute();
  const key = await program(server, 'support');
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

test('a person with devices is described with them and with their warnings', async () => {
  const server = await openTestServer('sqlite');
  const { id, browser } = await register(server);
  const { computer: agent } = await addComputer(server, browser, 'Desk');
  const { client } = await program(server, 'support');
  const computers = async () => (await client.get(`/operators/people/${id}`)).body.computers;
  expect(await computers()).toMatchObject([{ name: 'Desk', platform: 'linux', warnings: [] }]);
  const records = [{ id: 'a', at: server.now(), kind: 'disk_low', text: '2 %' }];
  expect((await agent.send('POST', '/computers/records', { body: { records } })).status).toBeLessThan(300);
  expect(await computers()).toMatchObject([{ warnings: ['disk_low'] }]);
});

test('no search of a viewer completes a masked address or number', async () => {
  const server = await openTestServer('sqlite');
  const { email } = await register(server, { name: 'Zoe Vlk', phone: '+49 1577 7700123' });
  const find = async (client: Client, q: string) =>
    (await client.get(`/operators/people?q=${encodeURIComponent(q)}`)).body.items.length;
  const { client: viewer } = await program(server, 'viewer');
  const { client: support } = await program(server, 'support');
  for (const part of [email.slice(0, -1), '+49 1577 770012', '1577 7700123', '0123'])
    expect([part, await find(viewer, part), await find(support, part)]).toEqual([part, 0, 1]);
  for (const whole of [email, '+49 (1577) 7700123', 'vlk'])
    expect([whole, await find(viewer, whole)]).toEqual([whole, 1]);
  await register(server, { name: 'Zoe Vlk', phone: '+49 1577 7700124' });
  for (const query of ['q=vlk', 'q=%40example.com', 'state=new']) {
    const { next } = (await viewer.get(`/operators/people?limit=1&${query}`)).body;
    expect([query, Buffer.from(next, 'base64url').toString()]).toEqual([
      query,
      expect.not.stringMatching(/anna|@|15777700/),
    ]);
  }
  const page = await support.get('/operators/people?q=%40&limit=1&cursor=bm8tY3Vyc29y');
  expect(page).toSay('422 validation_failed cursor not_understood');
});

test('a person who was created gets a link to set a password, and can be locked, unlocked and deleted', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await program(server, 'support');
  const { body } = await client.post('/operators/people', { email: 'ada@mail.example', name: 'Ada', locale: 'en' });
  const mail = await server.mailTo('ada@mail.example');
  expect(mail.text).toMatch(/created an account for you[\s\S]*\/reset-password\//);
  const of = `/operators/people/${body.id}`;
  await client.post(`${of}/reset`);
  expect((await server.mailTo('ada@mail.example', /./, 2)).text).toMatch(/created an account for you/);
  const resend = async () => (await client.post(`${of}/resend`)).body;
  expect(await resend()).toEqual({ retried: [], invitation: true, confirmation: false });
  expect((await server.mailTo('ada@mail.example', /./, 3)).text).toMatch(/created an account for you/);
  // Whoever asks on the page has no former password either.
  await server.client().post('/auth/recovery', { email: 'ada@mail.example', locale: 'en' });
  expect((await server.mailTo('ada@mail.example', /./, 4)).text).toMatch(/created an account for you[\s\S]*&first=1/);
  // One that was given up is sent again instead, with the link that it has.
  await server.store.updateTable('outbox').set({ sent_at: null, gave_up_at: server.now() }).execute();
  expect(await resend()).toEqual({ retried: expect.any(Array), invitation: false, confirmation: false });
  expect((await client.get('/operators/people?state=locked')).body.items).toEqual([]);
  expect((await client.post(`${of}/lock`, { reason: 'test' })).body).toEqual({ ended: 0 });
  expect((await client.get('/operators/people?state=locked')).body.items).toHaveLength(1);
  expect((await client.get(of)).body.going_on[0]).toMatchObject({ code: 'cannot_sign_in' });
  expect((await client.post(`${of}/unlock`)).status).toBe(204);
  expect((await client.put(`${of}/groups/staff`, {})).status).toBe(204);
  expect(await client.put(`${of}/groups/no group`, {})).toSay('422 validation_failed group not_understood');
  expect((await client.get(of)).body.groups).toEqual(['staff']);
  const { delete_at } = (await client.send('DELETE', of, { body: {} })).body;
  expect(Date.parse(delete_at)).toBeGreaterThan(server.now() + hours(1));
  expect((await client.get(of)).body.delete_at).toBe(delete_at);
});

test.each(['link', 'code'])(
  'a person who was created keeps name and number at the first entry by %s, and only then',
  async (by) => {
    const server = await openTestServer('sqlite');
    const { client } = await program(server, 'support');
    const email = 'ada@mail.example';
    const created = { email, name: 'Ada', phone: '+4915123456789', locale: 'en' };
    expect((await client.post('/operators/people', created)).status).toBe(201);
    const browser = server.client();
    server.forward(minutes(1));
    const setPassword = async (address: string, hash: string, client: Client) => {
      const set = { email: address, hash, password, password_repeat: password };
      expect(await client.post('/auth/reset-password', set)).toSay('204');
    };
    if (by === 'code') {
      await browser.post('/auth/code', { email, locale: 'en' });
      const code = await secretsIn(server, email).signInCode();
      expect(await browser.post('/auth/code/login', { email, code })).toSay('200');
    } else {
      const hash = await secretsIn(server, email).invitation();
      server.forward(days(3) - minutes(2));
      await setPassword(email, hash, browser);
      expect((await server.mailTo(email, /password is set/)).text).toMatch(/A password for your account was set on /);
      expect(await browser.post('/auth/login', { email, password })).toSay('200');
    }
    const { name, phone } = created;
    expect((await browser.get('/account')).body).toMatchObject({ name, phone, email_confirmed: true });
    // A thief moves it to the address of someone else, who takes it over.
    const victim = 'eve@mail.example';
    expect(
      (await browser.post('/account/email', { email: victim, ...(by === 'link' && { password }) })).status,
    ).toBeLessThan(300);
    const hash = await secretsIn(server, victim).changeLink();
    expect(await server.client().post('/account/email/change', { hash })).toSay('200');
    await server.client().post('/auth/recovery', { email: victim, locale: 'en' });
    await setPassword(victim, await secretsIn(server, victim).resetLink(), server.client());
    expect(await findAccountByEmail(server.store, victim)).toMatchObject({ name: '', phone: '' });
  },
);

test('CONSOLE_REASONS=required refuses every change without a reason, and nothing else', async () => {
  const server = await openTestServer('sqlite', { CONSOLE_REASONS: 'required' });
  const { client } = await person(server, 'owner');
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
  const { client } = await program(server, 'support');
  expect((await client.get('/operators/me')).status).toBe(404);
  expect((await client.get('/operators/people')).status).toBe(404);
});

test('the timeline of a person merges everything page by page, and viewers read no address in it', async () => {
  const server = await openTestServer('sqlite');
  const { id, email, browser } = await register(server);
  await server.mailTo(email);
  await server.client().post('/auth/login', { email, password: 'wrong one' });
  await browser.post('/auth/logout');
  const { client } = await program(server, 'support');
  const of = `/operators/people/${id}`;
  await client.post(`${of}/lock`, { reason: `stolen phone of ${email}` });
  expect((await client.post(`${of}/notes`, { text: ' Calls back. ' })).status).toBe(201);
  await server.store
    .insertInto('notifications')
    .values({ id: 'n', account_id: id, at: server.now(), kind: 'computer_silent', name: 'Desk', read_at: null })
    .execute();
  await server.store
    .updateTable('outbox')
    .set({ sent_at: null, gave_up_at: 1, last_error: `550 ${email}` })
    .execute();
  const kind = 'kind_of_a_newer_node' as ActivityKind;
  await recordActivity(server.store, { accountId: id, at: server.now(), kind, visitor: { ip: '', userAgent: '' } });
  const read = async (from: Client, query = '') => (await from.get(`${of}/timeline${query}`)).body;
  const { items, next } = await read(client);
  expect(next).toBeNull();
  const codes = items.map(({ kind, code, outcome }: Record<string, string>) => [kind, code, outcome].join(' ').trim());
  expect(codes).toEqual(
    expect.arrayContaining([
      'sign_ins registered',
      'sign_ins signed_out',
      'refusals wrong_password 1 wrong, new_browsers',
      `emails registered given up: 550 ${email[0]}***@example.com`,
      'changes kind_of_a_newer_node',
      'alarms computer_silent Desk',
      'operators account_locked',
      'operators note_added',
    ]),
  );
  const paged: unknown[] = [];
  for (let cursor = ''; ; ) {
    const page = await read(client, `?limit=2${cursor && `&cursor=${cursor}`}`);
    paged.push(...page.items);
    cursor = page.next;
    if (cursor === null) break;
  }
  expect(paged.length).toBe(items.length);
  expect(new Set(paged.map((one) => JSON.stringify(one)))).toEqual(
    new Set(items.map((one: object) => JSON.stringify(one))),
  );
  for (const kind of timelineKinds) {
    const only = await read(client, `?kind=${kind}`);
    expect(only.items, kind).toEqual(items.filter((one: { kind: string }) => one.kind === kind));
  }
  expect(await client.get(`${of}/timeline?cursor=eA`)).toSay('422 validation_failed cursor not_understood');
  await server.store.updateTable('outbox').set({ last_error: suppressedReason }).execute();
  expect((await read(client, '?kind=emails')).items).toMatchObject([{ params: { state: 'held_back' } }]);
  const { client: viewer } = await program(server, 'viewer');
  expect(JSON.stringify(await read(viewer))).not.toContain(email);
  const { notes } = (await client.get(of)).body;
  expect(notes).toEqual([expect.objectContaining({ actor_kind: 'key', text: 'Calls back.' })]);
  expect((await client.post(`${of}/export`)).body.data.notes).toEqual([
    { at: expect.any(String), text: 'Calls back.' },
  ]);
});

test('support removes a passkey, sends emails again, and changes an address after a proof that the former one can undo', async () => {
  const server = await openTestServer('sqlite');
  const { id, email } = await register(server);
  await server.mailTo(email);
  const { client } = await program(server, 'support');
  const of = `/operators/people/${id}`;
  await server.store.updateTable('outbox').set({ sent_at: null, gave_up_at: server.now() }).execute();
  const key = { name: 'Old phone', aaguid: '', public_key: 'k', algorithm: -7, counter: 0, transports: '' } as const;
  await server.store
    .insertInto('passkeys')
    .values({ ...key, id: 'stolen', account_id: id, backup_eligible: 1, backed_up: 1, created_at: 1 })
    .execute();
  expect((await client.send('DELETE', `${of}/passkeys/stolen`, { body: {} })).status).toBe(204);
  expect(await client.send('DELETE', `${of}/passkeys/stolen`, { body: {} })).toSay('404 not_found');
  await server.store.deleteFrom('outbox').where('notice', '=', 'passkey_removed').execute();
  expect((await client.post(`${of}/resend`)).body).toEqual({
    ...{ retried: [expect.any(String)], invitation: false, confirmation: true },
  });
  const taken = await register(server);
  const change = (to: string) => client.post(`${of}/email`, { email: to });
  expect(await change(taken.email)).toSay('409 account_exists');
  expect(await change(email)).toSay('422 validation_failed email email_unchanged');
  expect((await change('new@example.org')).status).toBe(202);
  expect((await findAccountByEmail(server.store, email))?.id).toBe(id);
  const mail = await server.mailTo('new@example.org');
  expect(mail.text).toMatch(/support team entered new@example\.org/);
  const [, hash] = /hash=([\w-]+)/.exec(mail.text) ?? [];
  expect((await server.client().post('/account/email/change', { hash })).status).toBe(200);
  const moved = await findAccountByEmail(server.store, 'new@example.org');
  expect(moved).toMatchObject({ id, email_proven_at: expect.any(Number) });
  const undo = server.store.selectFrom('email_changes').select('undo_hash').where('old_email', '=', email);
  expect(await undo.executeTakeFirst()).toEqual({ undo_hash: expect.any(String) });
});

test('support finds the email that did not arrive, allows its address again and retries it', async () => {
  const server = await openTestServer('sqlite');
  const { client } = await program(server, 'support');
  const created = await client.post('/operators/people', { email: 'ada@mail.example', name: 'Ada', locale: 'en' });
  await server.mailTo('ada@mail.example');
  const { store, now } = server;
  await store
    .updateTable('outbox')
    .set({ sent_at: null, gave_up_at: now(), last_error: '550 for ada@mail.example' })
    .execute();
  for (const name of ['ada', 'bob'])
    await store
      .insertInto('unreachable_addresses')
      .values({
        email_key: `${name}@mail.example`,
        email: `${name}@mail.example`,
        reason: 'no_such_address',
        told_by: 'smtp',
        detail: '550',
        at: now(),
      })
      .execute();
  const { body: first } = await client.get('/operators/suppressed?limit=1');
  const { body: second } = await client.get(`/operators/suppressed?limit=1&cursor=${first.next}`);
  expect(
    [first, second].map(({ items, next }) => [items.map(({ email }: { email: string }) => email), next === null]),
  ).toEqual([
    [['bob@mail.example'], false],
    [['ada@mail.example'], true],
  ]);
  expect((await client.post('/operators/suppressed/allow', { who: created.body.id })).status).toBe(204);
  expect(await client.post('/operators/suppressed/allow', { who: 'ada@mail.example' })).toSay('404 not_found');
  const { body: emails } = await client.get(`/operators/emails?account=${created.body.id}`);
  expect(emails).toMatchObject({
    items: [{ to: 'ada@mail.example', state: 'given_up', last_error: '550 for ada@mail.example' }],
    next: null,
  });
  const ids = emails.items.map(({ id }: { id: string }) => id);
  expect((await client.post('/operators/emails/retry', { ids })).body).toEqual({ retried: ids });
  const code = { code: 'SUMMER27', uses: 3, until: '2099-12-31' };
  expect((await client.post('/operators/promo-codes', code)).status).toBe(204);
  expect(await client.post('/operators/promo-codes', code)).toSay('409 promo_code_exists');
  await client.put(`/operators/people/${created.body.id}/groups/staff`, {});
  expect((await client.get('/operators/groups')).body).toEqual({ items: [{ name: 'staff', members: 1 }] });
});
