import { expect, it } from 'vitest';
import { freshStore } from '../../testing/databases/databases.ts';
import {
  account,
  emailOf,
  eventually,
  postRecovery,
  recordingSender,
  runOutbox,
  testClock,
} from '../../testing/outbox.ts';

it('once an email has found the mail server down, the next one does not probe it again', async () => {
  const [store, { now }] = [await freshStore('sqlite'), testClock()];
  const fails: (() => void)[] = [];
  let looks = 0;
  const { sender } = recordingSender(
    () => new Promise((_, reject) => fails.push(() => reject(new Error('connect ECONNREFUSED')))),
    async () => {
      looks += 1;
      throw new Error('connect ECONNREFUSED');
    },
  );
  const ids = [
    await postRecovery(store, { to: account('ada'), at: now() }),
    await postRecovery(store, { to: account('eve'), at: now() }),
  ];
  const outbox = runOutbox({ store, now, sender });
  await eventually(() => expect(fails).toHaveLength(2));
  for (const [at, fail] of fails.entries()) {
    fail();
    await eventually(async () => {
      const rows = await Promise.all(ids.map((id) => emailOf(store, id)));
      expect(rows.filter(({ leased_until }) => leased_until === 0)).toHaveLength(at + 1);
    });
  }
  expect((await outbox.counts()).lastError).toBe('connect ECONNREFUSED');
  expect(looks).toBe(1);
});
