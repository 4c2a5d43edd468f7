import { describe, expect, it } from 'vitest';
import { engines, freshStore } from '../../testing/databases/databases.ts';
import {
  account,
  emailOf,
  eventually,
  postRecovery,
  recordingSender,
  runOutbox,
  testClock,
} from '../../testing/outbox.ts';
import { usualLimits } from '../smtp/smtp.ts';

/** A mail server that holds every email until the test ends its send; probes of the server fail. */
function slowServer() {
  const underWay: { fail(): void; succeed(): void }[] = [];
  const { sender, sent } = recordingSender(
    () =>
      new Promise((resolve, reject) => {
        underWay.push({ succeed: resolve, fail: () => reject(new Error('connect ETIMEDOUT')) });
      }),
    () => Promise.reject(new Error('connect ETIMEDOUT')),
  );
  const close = async () => {
    for (const { fail } of underWay) fail();
  };
  return { underWay, sender: { ...sender, close }, sent };
}

describe.each(engines)('an email that one node has claimed, on %s,', (engine) => {
  it('stays claimed while a send and a check may take', async () => {
    const [store, clock] = [await freshStore(engine), testClock()];
    const [slow, quick] = [slowServer(), recordingSender()];
    runOutbox({ store, now: clock.now, sender: slow.sender });
    const id = await postRecovery(store, { to: account('ada'), at: clock.now() });
    await eventually(() => expect(slow.underWay).toHaveLength(1));
    clock.pass(usualLimits.longestSend + usualLimits.longestCheck);
    const other = runOutbox({ store, now: clock.now, sender: quick.sender });
    const later = await postRecovery(store, { to: account('eve'), at: clock.now() });
    other.wake();
    await eventually(() => expect(quick.sent.map((mail) => mail.id)).toContain(later));
    slow.underWay[0]?.succeed();
    await eventually(async () => expect((await emailOf(store, id)).sent_at).toBe(clock.now()));
    expect(quick.sent.map((mail) => mail.id)).not.toContain(id);
  });
});
