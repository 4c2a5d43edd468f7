import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { JobStop } from '../../contract/operators.ts';
import { minutes } from '../../contract/units.ts';
import { deleteAccount, lockAccount } from '../../operations/accounts.ts';
import { revokeOperatorKey } from '../../operations/operators.ts';
import { findAccountByEmail } from '../../store/accounts/accounts.ts';
import { engines, usualEngines } from '../../testing/databases/databases.ts';
import { addProgram, operationIn, runAllJobs } from '../../testing/operators.ts';
import { secretsIn } from '../../testing/outbox.ts';
import { addOperator, password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

describe.each(engines)('a job for many people, on %s,', (engine) => {
  /** For what no engine does differently. */
  const onUsual = test.runIf(usualEngines.includes(engine));

  test('acts once for each of many people, by any number of nodes, and lists for whom it failed', async () => {
    const server = await openTestServer(engine);
    const { client } = await addProgram(server, 'support');
    const owner = await addOperator(server, 'owner');
    const others = [await addOperator(server, undefined), await addOperator(server, undefined)];
    const { name } = (await findAccountByEmail(server.store, owner.email)) ?? {};
    const ids = [owner.id, 'nobody', ...others.map(({ id }) => id), 'nobody'];
    const { body, status } = await client.post('/operators/people/bulk', { ids, act: 'delete', reason: 'left' });
    expect(status).toBe(202);
    const read = async () => (await client.get(`/operators/jobs/${body.id}`)).body;
    expect(await read()).toMatchObject({ act: 'delete', total: 4, done: 0, failures: [], finished_at: null });
    expect(await read()).toMatchObject({ actor_kind: 'key', actor_name: 'support', reason: 'left' });
    await Promise.all([runAllJobs(server), runAllJobs(server)]);
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
    const { client } = await addProgram(server, 'support');
    const ids = Array.from({ length: 1001 }, () => randomUUID());
    const begin = (some: readonly string[]) => client.post('/operators/people/bulk', { ids: some, act: 'lock' });
    const { body, status } = await begin(ids.slice(1));
    expect(status).toBe(202);
    expect((await client.get(`/operators/jobs/${body.id}`)).body).toMatchObject({ total: 1000, done: 0 });
    expect(await begin(ids)).toSay('422 validation_failed ids not_understood');
  });

  test.each<[JobStop, (server: TestServer, operator: Awaited<ReturnType<typeof addOperator>>) => Promise<unknown>]>([
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
    const support = await addOperator(server, 'support');
    // The step for nobody fails before its act asks whether the operator may.
    const ids = ['nobody', (await register(server)).id, (await register(server)).id];
    const asked = { ids, act: 'lock', reason: 'for ann@example.com' };
    const { body } = await support.client.post('/operators/people/bulk', asked);
    await loses(server, support);
    await runAllJobs(server);
    const { client } = await addProgram(server, 'support');
    const of = `/operators/jobs/${body.id}`;
    expect((await client.get(of)).body).toMatchObject({
      ...{ done: 0, total: 3, failures: [], stopped: why },
      ...{ actor_name: expect.any(String), finished_at: expect.any(String) },
    });
    const people = (await client.get(`${of}/people`)).body.items;
    expect(people.map(({ state }: { state: string }) => state)).toEqual(['stopped', 'stopped', 'stopped']);
    const log = (await client.get('/operators/audit?limit=1000')).body.items;
    expect(log).toContainEqual(
      expect.objectContaining({ action: 'job_stopped', subject: `lock: 0 of 3 accounts (${body.id})` }),
    );
    const locked = (await client.get('/operators/people?state=locked')).body.items;
    expect(locked.filter(({ id }: { id: string }) => ids.includes(id))).toEqual([]);
    const kept = ['operator_jobs', 'audit_log'].map((table) => sql`select * from ${sql.table(table)}`);
    for (const rows of kept) expect(JSON.stringify(await rows.execute(server.store))).not.toContain('ann@');
  });

  onUsual('what already is so is done, and no failure', async () => {
    const server = await openTestServer(engine);
    const { client } = await addProgram(server, 'support');
    const { id } = await register(server);
    for (const act of ['lock', 'unlock', 'delete'])
      for (let again = 0; again < 2; again += 1) {
        const { body } = await client.post('/operators/people/bulk', { ids: [id], act });
        await runAllJobs(server);
        expect((await client.get(`/operators/jobs/${body.id}`)).body).toMatchObject({ act, done: 1, failures: [] });
      }
  });

  onUsual('a job stops when its key is revoked', async () => {
    const server = await openTestServer(engine);
    const key = await addProgram(server, 'support');
    const { id } = await addOperator(server, undefined);
    const { body } = await key.client.post('/operators/people/bulk', { ids: [id], act: 'lock' });
    await revokeOperatorKey(operationIn(server), key.id);
    await runAllJobs(server);
    const { client } = await addProgram(server, 'support');
    expect((await client.get(`/operators/jobs/${body.id}`)).body).toMatchObject({
      stopped: 'key',
      actor_name: 'support',
    });
    expect((await client.get('/operators/people?state=locked')).body.items).toEqual([]);
  });
});
