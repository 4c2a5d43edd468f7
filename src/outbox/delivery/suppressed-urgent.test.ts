import { expect, it } from 'vitest';
import { freshStore, usualEngines } from '../../testing/databases/databases.ts';
import { account, emailOf, eventually, postCode, recordingSender, runOutbox, testClock } from '../../testing/outbox.ts';

it.each(usualEngines)('an urgent email does not go to an address on the suppression list, on %s', async (engine) => {
  const [store, { now }] = [await freshStore(engine), testClock()];
  await store
    .insertInto('unreachable_addresses')
    .values({
      email_key: 'ada@mail.example',
      email: 'ada@mail.example',
      reason: 'no_such_address',
      told_by: 'smtp',
      detail: '550 5.1.1',
      at: now(),
    })
    .execute();
  const id = await postCode(store, { to: account('ada'), at: now() });
  const { sender, sent } = recordingSender();
  const outbox = runOutbox({ store, now, sender });
  await eventually(async () => {
    const { sent_at, gave_up_at } = await emailOf(store, id);
    expect(sent_at ?? gave_up_at).toBe(now());
  });
  expect(sent).toEqual([]);
  expect(await outbox.counts()).toMatchObject({ withheld: 1, sent: 0 });
});
