import { expect, expectTypeOf, test } from 'vitest';
import { days } from '../contract/units.ts';
import type { Store } from '../store/database.ts';
import { freshStore, usualEngines } from '../testing/databases/databases.ts';
import { account } from '../testing/outbox.ts';
import { enqueueBatched, enqueueCapped } from './enqueue-email.ts';

const noon = Date.UTC(2026, 0, 2, 12);
const ada = { ...account('ada'), id: 'ada' };
const item = { device: 'Firefox', ip: '192.0.2.1', when: noon };

const dueOf = async (store: Store) =>
  (await store.selectFrom('outbox').select('due_at').orderBy('id').execute()).map((email) => email.due_at);

test.each(usualEngines)(
  'emails from a clock that was a day ahead do not delay later ones after its correction, on %s',
  async (engine) => {
    const store = await freshStore(engine);
    const gathered = (at: number) =>
      store.transaction().execute((trx) => enqueueBatched(trx, { notice: 'new_device', item, account: ada, at }));
    const sendAll = () => store.updateTable('outbox').set({ sent_at: noon }).execute();
    for (let emails = 0; emails < 5; emails += 1) {
      await gathered(noon + days(1));
      await sendAll();
    }
    await gathered(noon);
    expect((await dueOf(store)).at(-1)).toBe(noon);
  },
);

test.each(usualEngines)('a capped notice is also sent after such a correction, on %s', async (engine) => {
  const store = await freshStore(engine);
  const ada = { ...account('ada'), id: 'ada', email_proven_at: null };
  const notify = (at: number) =>
    store
      .transaction()
      .execute((trx) => enqueueCapped(trx, { notice: 'password_changed', params: { when: at }, account: ada, at }));
  for (let emails = 0; emails < 6; emails += 1) await notify(noon + days(1));
  await notify(noon);
  expect(await dueOf(store)).toEqual([...Array.from({ length: 5 }, () => noon + days(1)), noon]);
});

test.each(usualEngines)(
  'the owner of a proven address gets each notice of a busy day, up to fifty, on %s',
  async (engine) => {
    const store = await freshStore(engine);
    const ada = { ...account('ada'), id: 'ada', email_proven_at: noon };
    for (let at = noon; at < noon + 60; at += 1)
      await store
        .transaction()
        .execute((trx) => enqueueCapped(trx, { notice: 'password_changed', params: { when: at }, account: ada, at }));
    expect(await dueOf(store)).toHaveLength(50);
  },
);

test('only notices with the policy `gathered` can be batched', () => {
  expectTypeOf<Parameters<typeof enqueueBatched>[1]['notice']>().toEqualTypeOf<'new_device' | 'computer_added'>();
});
