import '../server/wings.ts';
import { describe, expect, it } from 'vitest';
import { days, hours, minutes } from '../contract/units.ts';
import { Undeliverable } from '../outbox/compose.ts';
import { enqueueEmail, type NewNotice } from '../outbox/enqueue-email.ts';
import { noticeNames } from '../outbox/notices.ts';
import { sha256 } from '../security/macs.ts';
import { readConfig } from '../server/settings/config.ts';
import { findResetLink, resetLinks } from '../store/access/reset-links.ts';
import type { Store } from '../store/database.ts';
import { freshStore, storePerson, usualEngines } from '../testing/databases/databases.ts';
import {
  account,
  emailOf,
  eventually,
  postRecovery,
  recordingSender,
  runOutbox,
  testClock,
} from '../testing/outbox.ts';
import { outboxList, outboxRetry } from './outbox.ts';

const config = readConfig({ PHONE_CONFIRMATION: 'off' });

interface ListInput {
  readonly store: Store;
  readonly now: number;
  readonly positionals?: readonly string[];
  readonly options?: Readonly<Record<string, unknown>>;
}

const list = (input: ListInput) =>
  outboxList.run({ positionals: [], options: {}, environment: {}, folder: '.', config, ...input });
const retry = (asked: ListInput) =>
  outboxRetry.run({ positionals: [], options: {}, environment: {}, folder: '.', config, ...asked });

/** Adds an account, its recovery email and the reset link; returns the id of the email. */
async function askForLink(store: Store, { id, at }: { id: string; at: number }): Promise<string> {
  await storePerson(store, account(id));
  const outboxId = await postRecovery(store, { to: account(id), at });
  const link = { token_hash: sha256(outboxId), account_id: id, outbox_id: outboxId, created_at: at, db_type: null };
  await store.transaction().execute((trx) => resetLinks.add(trx, link));
  return outboxId;
}

const giveUp = (store: Store, { id, at }: { id: string; at: number }) =>
  store
    .updateTable('outbox')
    .set({ gave_up_at: at, attempts: 50, last_error: 'refused' })
    .where('id', '=', id)
    .execute();

describe.each(usualEngines)('vestibule outbox on %s', (engine) => {
  it('lists queued, recently sent and given-up emails, with masked addresses', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const { sender } = recordingSender(({ to }) => {
      if (to.startsWith('eve')) throw new Undeliverable('550 5.1.1 <eve@mail.example>: no such mailbox');
      if (to.startsWith('bob')) throw new Error('451 come back later');
    });
    const old = await postRecovery(store, { to: account('old'), at: clock.now() - days(3) });
    await store
      .updateTable('outbox')
      .set({ sent_at: clock.now() - days(2) })
      .where('id', '=', old)
      .execute();
    const ids: Record<string, string> = {};
    for (const name of ['ada', 'bob', 'eve'])
      ids[name] = await postRecovery(store, { to: account(name), at: clock.now() });
    const outbox = runOutbox({ store, now: clock.now, sender });
    await eventually(async () => {
      for (const id of Object.values(ids))
        expect(await emailOf(store, id)).toMatchObject({ attempts: 1, leased_until: expect.any(Number) });
      expect((await emailOf(store, ids.bob ?? '')).last_error).toContain('451');
      expect((await emailOf(store, ids.eve ?? '')).gave_up_at).not.toBeNull();
      expect((await emailOf(store, ids.ada ?? '')).sent_at).not.toBeNull();
    });
    await outbox.stop();

    const { text, data } = await list({ store, now: clock.now() + minutes(12) });
    const entry = { notice: 'recovery', age: 720, attempts: 1 };
    expect(data).toEqual({
      given_up: [
        {
          ...entry,
          id: ids.eve,
          state: 'given_up',
          to: 'e***@mail.example',
          last_error: '550 5.1.1 <e***@mail.example>: no such mailbox',
        },
      ],
      queued: [{ ...entry, id: ids.bob, state: 'queued', to: 'b***@mail.example', last_error: '451 come back later' }],
      sent: [{ ...entry, id: ids.ada, state: 'sent', to: 'a***@mail.example', last_error: null }],
    });
    expect(text).toContain(`Queued: 1\n  ${ids.bob}  recovery  b***@mail.example  12 min  1×\n    451 come back later`);
    expect(text + JSON.stringify(data)).not.toMatch(/(ada|bob|eve|old)@|s3cret/);
  });

  it('lists all stored emails of one account, by its id, its address or a former one', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const mine = await askForLink(store, { id: 'ada', at: clock.now() - days(8) });
    await store
      .updateTable('outbox')
      .set({ sent_at: clock.now() - days(7) })
      .where('id', '=', mine)
      .execute();
    await askForLink(store, { id: 'bob', at: clock.now() });
    await store
      .insertInto('email_changes')
      .values({
        token_hash: 'x',
        account_id: 'ada',
        email: 'ada@mail.example',
        created_at: clock.now() - days(80),
        changed_at: clock.now() - days(80),
        undo_hash: null,
        old_email: 'before@mail.example',
        old_email_proven_at: null,
      })
      .execute();
    for (const who of ['ada', 'ada@mail.example', 'Before@mail.example']) {
      const { data, text } = await list({ store, now: clock.now(), options: { account: who } });
      expect(data).toMatchObject({ given_up: [], queued: [], sent: [{ id: mine, notice: 'recovery' }] });
      expect(text).toContain('Sent: 1\n');
    }
    expect(await list({ store, now: clock.now(), options: { account: 'eve@mail.example' } })).toMatchObject({
      text: 'eve@mail.example: no such account',
      failed: true,
    });
  });

  it('retries an email that was given up for another day, with the same id and a valid link', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const id = await askForLink(store, { id: 'ada', at: clock.now() });
    await giveUp(store, { id, at: clock.now() + days(1) });
    clock.pass(days(5));
    expect((await retry({ store, now: clock.now(), positionals: [id] })).data).toEqual({ retried: [id], left: [] });
    expect(await emailOf(store, id)).toMatchObject({ attempts: 0, gave_up_at: null, due_at: clock.now() });

    let down = true;
    const { sender, sent } = recordingSender(() => {
      if (down) throw new Error('connection refused');
    });
    const outbox = runOutbox({ store, now: clock.now, sender });
    clock.pass(hours(23));
    outbox.wake();
    await eventually(async () => expect((await emailOf(store, id)).last_error).toContain('connection'));
    down = false;
    clock.pass(hours(1) - 1);
    outbox.wake();
    await eventually(() => expect(sent.map(({ messageId }) => messageId)).toEqual([`<${id}@sign-in.example>`]));
    await eventually(async () => expect((await emailOf(store, id)).sent_at).toBe(clock.now()));
    clock.pass(minutes(59));
    expect(await findResetLink(store, { tokenHash: sha256(id), now: clock.now() })).toMatchObject({
      account_id: 'ada',
    });
  });

  it('immediately retries emails that wait for their next attempt, for an operator who has fixed the cause', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const [refused, other] = [
      await askForLink(store, { id: 'ada', at: clock.now() }),
      await askForLink(store, { id: 'bob', at: clock.now() }),
    ];
    await store
      .updateTable('outbox')
      .set({ due_at: clock.now() + hours(3), attempts: 3 })
      .execute();
    const one = await retry({ store, now: clock.now(), positionals: [refused] });
    expect(one).toMatchObject({ failed: false, data: { retried: [refused], left: [] } });
    expect(await emailOf(store, refused)).toMatchObject({ due_at: clock.now(), attempts: 0 });
    expect(await emailOf(store, other)).toMatchObject({ due_at: clock.now() + hours(3), attempts: 3 });
    const all = await retry({ store, now: clock.now(), options: { all: true } });
    expect(all).toMatchObject({ failed: false, data: { retried: [other], left: [] } });
  });

  it('skips emails that are due, were sent, or contain a dead link', async () => {
    const [store, { now }] = [await freshStore(engine), testClock()];
    const [live, used, waiting, sent] = [
      await askForLink(store, { id: 'ada', at: now() }),
      await askForLink(store, { id: 'bob', at: now() }),
      await askForLink(store, { id: 'eve', at: now() }),
      await askForLink(store, { id: 'joe', at: now() }),
    ];
    const orphan = await postRecovery(store, { to: account('gone'), at: now() });
    for (const id of [live, used, orphan]) await giveUp(store, { id, at: now() });
    await store.updateTable('reset_links').set({ used_at: now() }).where('outbox_id', '=', used).execute();
    await store.updateTable('outbox').set({ sent_at: now() }).where('id', '=', sent).execute();

    const some = await retry({ store, now: now(), positionals: [waiting, sent, used, 'nothing'] });
    expect(some).toMatchObject({ failed: true, data: { retried: [], left: [waiting, sent, used, 'nothing'] } });
    const all = await retry({ store, now: now(), options: { all: true } });
    expect(all).toMatchObject({ failed: false, data: { retried: [live], left: [used, orphan] } });
    expect(all.text).toContain('has to request a new one');
  });

  it.each(noticeNames)('retries %s a day later according to its policy', async (notice) => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const email = { notice, params: {}, account: account('ada'), at: clock.now() } as NewNotice;
    const id = await store.transaction().execute((trx) => enqueueEmail(trx, email));
    await giveUp(store, { id, at: clock.now() });
    const { data } = await retry({ store, now: clock.now() + days(1), positionals: [id] });
    const shortLived = ['sign_in_code', 'confirm_mail', 'alarm_test'];
    // This test creates no reset link, so their links are dead.
    const isOfNoUse = [...shortLived, 'recovery', 'invitation', 'email_change_undone'].includes(notice);
    expect(data).toEqual(isOfNoUse ? { retried: [], left: [id] } : { retried: [id], left: [] });
  });
});

it.each([
  ['retry without an id', () => outboxRetry, [], {}],
  ['retry with an id and --all', () => outboxRetry, ['x'], { all: true }],
])('%s shows the correct usage', async (_, command, positionals, options) => {
  const store = await freshStore('sqlite');
  await expect(
    command().run({ store, config, environment: {}, folder: '.', now: 0, positionals, options }),
  ).rejects.toThrow(/^outbox/);
});
