import { describe, expect, it } from 'vitest';
import { hours, minutes, seconds } from '../contract/units.ts';
import { engines, freshStore, migratedDatabase, openTestStore } from '../testing/databases/databases.ts';
import { type LogoutNoticesTable, logoutQueue } from './applications/logout-notices.ts';
import type { Store } from './database.ts';
import { emailQueue, type OutboxTable } from './emails/outbox.ts';
import type { Queue, QueueColumns } from './queue.ts';
import { type WebhookDeliveriesTable, webhookQueue } from './webhooks/deliveries.ts';

const now = Date.UTC(2026, 10, 21);
const leaseFor = seconds(30);

const waiting = (id: string, times: Partial<QueueColumns> = {}) => ({
  id,
  created_at: now,
  due_at: now,
  attempts: 0,
  leased_until: 0,
  sent_at: null,
  gave_up_at: null,
  last_error: null,
  ...times,
});

const addEmails = (store: Store, emails: readonly (Partial<OutboxTable> & { readonly id: string })[]) =>
  store
    .insertInto('outbox')
    .values(
      emails.map(({ id, ...email }) => ({
        ...waiting(id),
        account_id: id,
        channel: 'mail' as const,
        notice: 'recovery',
        urgent: 0 as const,
        locale: 'en' as const,
        recipient: 'ada@mail.example',
        params: '{"link":"secret"}',
        ...email,
      })),
    )
    .execute();

const addWebhooks = (store: Store, webhooks: readonly (Partial<WebhookDeliveriesTable> & { readonly id: string })[]) =>
  store
    .insertInto('webhook_deliveries')
    .values(
      webhooks.map(({ id, ...webhook }) => ({
        ...waiting(id),
        receiver: 'wiki',
        account_id: id,
        position: 1,
        type: 'account.changed' as const,
        data: '{}',
        ...webhook,
      })),
    )
    .execute();

async function addNotices(store: Store, notices: readonly (Partial<LogoutNoticesTable> & { readonly id: string })[]) {
  await store
    .insertInto('clients')
    .values({
      ...{ id: 'wiki', name: 'Wiki', redirect_uris: '[]', post_logout_uris: '[]', groups: '[]', resources: '[]' },
      ...{ signing: 'ES256', public: 0, first_party: 0, service: 0, device: 0, claims_in_id_token: 0, from_file: 0 },
      created_at: now,
    } as never)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await store
    .insertInto('logout_notices')
    .values(
      notices.map(({ id, ...notice }) => ({ ...waiting(id), client_id: 'wiki', subject: id, sid: id, ...notice })),
    )
    .execute();
}

type Add = (store: Store, rows: readonly (Partial<QueueColumns> & { readonly id: string })[]) => Promise<unknown>;

const queues: readonly [string, Queue<QueueColumns, never>, string | number, Add][] = [
  ['emails', emailQueue, 0, addEmails],
  ['webhooks', webhookQueue, 'wiki', addWebhooks],
  ['logout notices', logoutQueue, 'wiki', addNotices],
];

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

describe.each(engines)('on %s, the queue of', (engine) => {
  describe.each(queues)('%s', (_name, queue, name, add) => {
    const lane = name as never;
    const claim = (store: Store, at = now, more = {}) =>
      queue.claim(store, { lane, limit: 4, now: at, leaseFor, ...more });

    it('gives each row to one of several workers', async () => {
      const database = await migratedDatabase(engine);
      const stores = [openTestStore(database), openTestStore(database)] as const;
      const rows = Array.from({ length: 40 }, (_, at) => ({ id: `r${at}` }));
      await add(stores[0], rows);
      const claimed = await Promise.all(Array.from({ length: 12 }, (_, at) => claim(stores[at % 2 ? 1 : 0])));
      const rest = await claim(stores[0], now, { limit: 40 });
      const ids = idsOf([...claimed.flat(), ...rest]);
      expect([ids.length, new Set(ids).size]).toEqual([40, 40]);
    });

    it('gives a row to another worker when its lease ends, and only that one may then end it', async () => {
      const store = await freshStore(engine);
      await add(store, [{ id: 'r1' }]);
      const [first] = await claim(store);
      expect(await claim(store, now + leaseFor - 1)).toEqual([]);
      expect(await claim(store, now + leaseFor, { except: ['r1'] })).toEqual([]);
      const [second] = await claim(store, now + leaseFor);
      expect([first, second]).toMatchObject([
        { id: 'r1', attempts: 1 },
        { id: 'r1', attempts: 2 },
      ]);
      await queue.release(store, first as QueueColumns, 'late');
      await queue.postpone(store, first as QueueColumns, { dueAt: now, error: 'late' });
      await queue.giveUp(store, first as QueueColumns, { at: now, error: 'late' });
      expect(await claim(store, now + leaseFor)).toEqual([]);
      await queue.release(store, second as QueueColumns, 'stopped');
      expect(await claim(store, now + leaseFor)).toMatchObject([{ attempts: 2, due_at: now, last_error: 'stopped' }]);
    });

    it('keeps a row until it is sent or given up', async () => {
      const store = await freshStore(engine);
      await add(store, [{ id: 'r1' }, { id: 'r2', created_at: now + 1 }]);
      const [sent, failed] = await claim(store);
      await queue.postpone(store, failed as QueueColumns, { dueAt: now + minutes(5), error: '451' });
      await queue.done(store, sent as QueueColumns, now);
      expect(await queue.backlog(store, [lane])).toEqual({ queued: 1, oldest: now + 1 });
      expect(await claim(store, now + minutes(5) - 1)).toEqual([]);
      const [again] = await claim(store, now + minutes(5));
      expect(again).toMatchObject({ id: 'r2', attempts: 2, last_error: '451' });
      await queue.giveUp(store, again as QueueColumns, { at: now, error: '550' });
      expect(await queue.backlog(store)).toEqual({ queued: 0, oldest: null });
      expect(await claim(store, now + hours(1))).toEqual([]);
    });

    it('follows a clock that is set back', async () => {
      const store = await freshStore(engine);
      const before = now - hours(1);
      await add(store, [
        { id: 'postponed', created_at: before - 1, due_at: now + minutes(5), attempts: 1 },
        { id: 'sending', created_at: before - 1, due_at: before, attempts: 1, leased_until: now + leaseFor },
      ]);
      // A lease of another node whose clock is ahead is still valid.
      expect(await claim(store, now - leaseFor)).toEqual([]);
      await queue.shift(store, { now: before, by: hours(1) });
      expect(idsOf(await claim(store, before))).toEqual(['sending']);
      expect(idsOf(await claim(store, before + minutes(5), { except: ['sending'] }))).toEqual(['postponed']);
    });

    it('ends pauses at startup that are from before the clock was set back', async () => {
      const store = await freshStore(engine);
      await add(store, [
        { id: 'of-the-future', created_at: now + hours(2), due_at: now + hours(2) },
        { id: 'long', due_at: now + hours(3), attempts: 1 },
        { id: 'paused', due_at: now + hours(1), attempts: 1 },
      ]);
      await queue.endOutdatedPauses(store, { now, longestPause: hours(2) });
      expect(idsOf(await claim(store)).sort()).toEqual(['long', 'of-the-future']);
    });
  });

  it('emails claims the newest urgent one first, and the notices of an account in order', async () => {
    const store = await freshStore(engine);
    await addEmails(store, [
      { id: 'u1', urgent: 1 },
      { id: 'u2', urgent: 1, created_at: now + 1, account_id: 'u1' },
      { id: 'n1', account_id: 'ada', created_at: now + hours(1), due_at: now + hours(1) },
      { id: 'n2', account_id: 'ada' },
      { id: 'n3', account_id: 'ada' },
      { id: 'n4', account_id: 'eve' },
    ]);
    const terms = { limit: 4, now: now + 1, leaseFor };
    expect(idsOf(await emailQueue.claim(store, { lane: 1, newestFirst: true, ...terms }))).toEqual(['u2', 'u1']);
    // An open batch, which is not due yet, delays no others.
    const claimed = await emailQueue.claim(store, { lane: 0, ...terms });
    expect(idsOf(claimed)).toEqual(['n2', 'n4']);
    await emailQueue.postpone(store, claimed[0] as OutboxTable, { dueAt: now + minutes(1), error: '451' });
    expect(await emailQueue.claim(store, { lane: 0, ...terms })).toEqual([]);
    await emailQueue.done(store, { id: 'n2' }, now);
    expect(idsOf(await emailQueue.claim(store, { lane: 0, ...terms }))).toEqual(['n3']);
    const row = await store.selectFrom('outbox').selectAll().where('id', '=', 'n2').executeTakeFirst();
    expect(row).toMatchObject({ params: '{}', recipient: 'ada@mail.example', sent_at: now });
  });

  it('webhooks claims the events of an account in order, even if the first one is not due', async () => {
    const store = await freshStore(engine);
    await addWebhooks(store, [
      { id: 'w1', account_id: 'ada', due_at: now + 1 },
      { id: 'w2', account_id: 'ada', position: 2 },
      { id: 'w3', account_id: 'ada', receiver: 'shop', position: 2 },
    ]);
    const claim = (lane: string, at: number) => webhookQueue.claim(store, { lane, limit: 4, now: at, leaseFor });
    expect(await claim('wiki', now)).toEqual([]);
    expect(idsOf(await claim('shop', now))).toEqual(['w3']);
    expect(idsOf(await claim('wiki', now + 1))).toEqual(['w1']);
    await webhookQueue.giveUp(store, { id: 'w1', leased_until: now + 1 + leaseFor }, { at: now, error: 'HTTP 500' });
    expect(idsOf(await claim('wiki', now + 1))).toEqual(['w2']);
  });
});
