import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../contract/units.ts';
import { evaluateAlarms } from '../devices/alarms/evaluate-alarms.ts';
import { deleteAccount, lockAccount, unlockAccount } from '../operations/accounts.ts';
import { accountParts } from '../server/wings.ts';
import { type AccountsTable, findAccount, lockAccountRow } from '../store/accounts/accounts.ts';
import { recordEvent } from '../store/webhooks/record-event.ts';
import type { Client } from '../testing/client.ts';
import { usualEngines } from '../testing/databases/databases.ts';
import { onFileEnd } from '../testing/file-cleanup.ts';
import { eventually } from '../testing/outbox.ts';
import { addComputer, form, password, proveAddress, register } from '../testing/people.ts';
import { openTestServer, type TestServer } from '../testing/test-server.ts';
import { openWebhookReceiver, type WebhookReceiver, writeWebhooksFile } from '../testing/webhook-receiver.ts';

describe.each(usualEngines)('webhooks report, on %s,', async (engine) => {
  let now = Date.now;
  const app = await openWebhookReceiver({ now: () => now() });
  onFileEnd(app.close);
  const server = await openTestServer(engine, { WEBHOOKS_FILE: writeWebhooksFile([app]) });
  now = server.now;

  const reportsOf = ({ received }: WebhookReceiver, id: string) =>
    received.filter(({ data }) => (data.account as { id: string }).id === id);
  /** Waits until these events of an account have arrived, in this order. */
  const arrived = (app: WebhookReceiver, id: string, types: readonly string[]) =>
    eventually(() => expect(reportsOf(app, id).map(({ type }) => type)).toEqual(types));
  const operation = (server: TestServer) => ({
    store: server.store,
    parts: accountParts,
    now: server.now(),
    operator: { kind: 'command', actor: 'alice', origin: 'here', reason: undefined } as const,
  });

  it('a registration and later changes, with the account as it is then and without secrets', async () => {
    const person = await register(server, { name: 'Żaneta Ødegård' });
    const { id, email, browser } = person;
    await proveAddress(server, person);
    await browser.send('PATCH', '/account', { body: { name: 'Jana' } });
    await arrived(app, id, ['account.created', 'account.changed', 'account.changed']);
    const [created, proven, renamed] = reportsOf(app, id);
    expect(created?.data).toEqual({
      account: {
        id,
        email,
        email_verified: false,
        name: 'Żaneta Ødegård',
        locale: 'en',
        locked: false,
        deletion_planned_at: null,
      },
    });
    expect(created?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(proven?.data).toMatchObject({ account: { email_verified: true } });
    expect(renamed?.data).toMatchObject({ account: { name: 'Jana' } });
    for (const { raw } of reportsOf(app, id)) {
      expect(raw).not.toContain(password);
      expect(Buffer.byteLength(raw)).toBeLessThan(20_000);
    }
    expect(app.rejected).toEqual([]);
  });

  it('nothing about a registration that fails', async () => {
    const { id, email } = await register(server);
    const again = await server.client().post('/auth/register', form({ email }));
    expect(again.status).toBe(409);
    const other = await register(server);
    await arrived(app, other.id, ['account.created']);
    expect(reportsOf(app, id).map(({ type }) => type)).toEqual(['account.created']);
  });

  it('a lock and an unlock by an operator', async () => {
    const { id } = await register(server);
    const account = (await findAccount(server.store, id)) as AccountsTable;
    await lockAccount(operation(server), account);
    await unlockAccount(operation(server), account);
    await arrived(app, id, ['account.created', 'account.locked', 'account.changed']);
    const states = reportsOf(app, id).map(({ data }) => (data.account as { locked: boolean }).locked);
    expect(states).toEqual([false, true, false]);
  });

  it('a planned deletion, its cancellation, and a final deletion, which leaves only the id', async () => {
    const { id, email, browser } = await register(server);
    const account = (await findAccount(server.store, id)) as AccountsTable;
    expect((await browser.send('DELETE', '/account', { body: { password } })).status).toBe(204);
    await server.client().post('/auth/login', { email, password });
    await arrived(app, id, ['account.created', 'account.deletion_planned', 'account.changed']);
    const plans = reportsOf(app, id).map(
      ({ data }) => (data.account as { deletion_planned_at: string | null }).deletion_planned_at,
    );
    expect(plans).toEqual([null, expect.stringMatching(/^\d{4}-/), null]);
    await deleteAccount(operation(server), account);
    await eventually(() => expect(reportsOf(app, id).at(-1)?.type).toBe('account.deleted'));
    expect(reportsOf(app, id).at(-1)?.data).toEqual({ account: { id } });
    const rows = await server.store
      .selectFrom('webhook_deliveries')
      .select('data')
      .where('account_id', '=', id)
      .execute();
    expect(rows.every(({ data }) => !data.includes(email))).toBe(true);
  });

  it('added and removed computers', async () => {
    const { id, browser } = await register(server);
    const { id: computer, computer: agent } = await addComputer(server, browser);
    expect((await browser.send('DELETE', `/computers/${computer}`, {})).status).toBe(204);
    await arrived(app, id, ['account.created', 'computer.added', 'computer.removed']);
    const [, added, removed] = reportsOf(app, id);
    expect(added?.data).toMatchObject({ computer: { id: computer, name: 'Office', platform: 'linux' } });
    expect(removed?.data).toMatchObject({ computers: [{ id: computer }] });
    expect(added?.raw).not.toContain(agent.token);
  });

  it('a removed computer after a change of the account that is still in progress', async () => {
    const { id, browser } = await register(server);
    const { id: computer } = await addComputer(server, browser);
    const removal = await server.store.transaction().execute(async (trx) => {
      await lockAccountRow(trx, id);
      await recordEvent(trx, { type: 'account.changed', accountId: id, at: server.now() });
      const removing = browser.send('DELETE', `/computers/${computer}`, {});
      // Enough requests for a removal that does not wait to end first.
      const reading = async () => {
        for (let times = 0; times < 20; times += 1) await browser.get('/account');
      };
      await Promise.race([removing, reading()]);
      return { removing };
    });
    expect((await removal.removing).status).toBe(204);
    const events = server.store.selectFrom('webhook_deliveries').select(['type', 'position']);
    expect(await events.where('account_id', '=', id).orderBy('position').execute()).toMatchObject([
      { type: 'account.created', position: 1 },
      { type: 'computer.added', position: 2 },
      { type: 'account.changed', position: 3 },
      { type: 'computer.removed', position: 4 },
    ]);
  });

  it('alarms about computers, together', async () => {
    const { id, browser } = await register(server);
    const evaluate = () => evaluateAlarms(server);
    await evaluate();
    const agents: { id: string; computer: Client }[] = [];
    for (const name of ['Office', 'Server']) agents.push(await addComputer(server, browser, name));
    const alive = async () => {
      server.forward(minutes(1));
      for (const { computer } of agents) await computer.send('POST', '/computers/heartbeat', { body: {} });
      await evaluate();
    };
    for (let minute = 0; minute < 16; minute += 1) await alive();
    for (const { computer } of agents) {
      const records = [{ id: '1', at: server.now(), kind: 'disk_low', text: '4 GB left' }];
      await computer.send('POST', '/computers/records', { body: { records } });
    }
    await alive();
    await arrived(app, id, ['account.created', 'computer.added', 'computer.added', 'computer.alarm']);
    const data = reportsOf(app, id).at(-1)?.data;
    expect(data?.alarms).toHaveLength(2);
    expect(data?.alarms).toContainEqual({
      computer: { id: agents[0]?.id, name: 'Office' },
      kind: 'disk_low',
      since: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  });

  it('a copied session', async () => {
    const { id, email, browser } = await register(server);
    const thief = browser.copy();
    for (let time = 0; time < 2; time += 1) {
      await browser.post('/auth/refresh');
      server.forward(minutes(5) + seconds(1));
    }
    expect((await thief.post('/auth/refresh')).status).toBe(401);
    await arrived(app, id, ['account.created', 'session.reused']);
    expect(reportsOf(app, id)[1]?.data).toMatchObject({ account: { id, email }, ip: expect.any(String) });
    server.forward(hours(1));
  });
});
