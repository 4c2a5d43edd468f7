import type { Service } from '../../server/service.ts';
import { damageMetBy, type Store } from '../../store/database.ts';
import { withinBudget } from '../../store/time-budget.ts';
import { tryWriting } from '../../store/write-probes.ts';

/** Names what this node needs and currently lacks; empty if the node is ready. */
export async function missingForWork({ store, outbox, draining, now }: Service): Promise<string[]> {
  if (draining.isBegun) return ['this node is stopping'];
  const missing = outbox.usable() ? [] : ['outbox'];
  return (await canWrite(store, now())) ? missing : [...missing, 'database'];
}

const trials = new WeakMap<Store, Promise<boolean>>();

/** Whether the database accepts writes. Concurrent calls share a trial, because each costs a durable commit. */
export function canWrite(store: Store, now: number): Promise<boolean> {
  // Damage stays until a backup is restored, and other pages may still accept writes.
  if (damageMetBy(store) !== undefined) return Promise.resolve(false);
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
