import type { Service } from '../server/service.ts';
import type { Store } from '../store/database.ts';
import { withinBudget } from '../store/time-budget.ts';
import { tryWriting } from '../store/write-probes.ts';

/** What a node cannot do without and does not have at the moment; empty when it is ready. */
export async function missingForWork({ store, outbox, draining, now }: Service): Promise<string[]> {
  if (draining.isBegun) return ['time: this node is stopping'];
  const missing = outbox.usable() ? [] : ['outbox'];
  // mutation: ready-without-writing
  return (await canWrite(store, now())) ? missing : [...missing, 'database'];
}

const trials = new WeakMap<Store, Promise<boolean>>();

/** Whether the database takes changes. One trial for all who ask meanwhile: anybody may ask, and each costs a durable commit. */
export function canWrite(store: Store, now: number): Promise<boolean> {
  const running = trials.get(store);
  if (running) return running;
  const trial = withinBudget(() => tryWriting(store, now))
    .then(
      () => true,
      () => false,
    )
    .finally(() => trials.delete(store));
  trials.set(store, trial);
  return trial;
}
