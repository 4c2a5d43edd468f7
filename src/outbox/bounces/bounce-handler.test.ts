import { describe, expect, it } from 'vitest';
import type { Store } from '../../store/database.ts';
import { freshStore, usualEngines } from '../../testing/databases/databases.ts';
import { testClock } from '../../testing/outbox.ts';
import { type BounceReport, openBounceHandler } from './bounce-handler.ts';

const reports = (count: number): BounceReport[] =>
  Array.from({ length: count }, (_, at) => ({
    id: `event-${at}`,
    by: 'sendgrid',
    kind: at % 2 ? 'no_such_address' : 'delayed',
    email: `p${at}@mail.example`,
    detail: '',
  }));

/** A store that counts its transactions. */
function counting(store: Store) {
  const counted = { transactions: 0 };
  const spy = new Proxy(store, {
    get(target, name) {
      if (name === 'transaction') counted.transactions += 1;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store: spy, counted };
}

describe.each(usualEngines)('bounces, on %s,', (engine) => {
  it('are recorded in one transaction if they arrive as one batch', async () => {
    const { store, counted } = counting(await freshStore(engine));
    const returns = openBounceHandler({ store, now: testClock().now, log: { info: () => undefined } });
    await returns.take(reports(2500));
    expect(counted.transactions).toBe(1);
    await returns.take(reports(2500));
    expect(counted.transactions).toBe(1);
  });

  it('are recorded and counted once each, even if they exceed the parameters of an SQLite statement', async () => {
    const store = await freshStore(engine);
    const counted: string[] = [];
    const count = ({ kind }: { kind: string }) => counted.push(kind);
    const returns = openBounceHandler({ store, now: testClock().now, log: { info: () => undefined }, count });
    const batch = reports(33_000);
    await returns.take([...batch, ...batch]);
    await returns.take(batch);
    expect(counted).toHaveLength(batch.length);
    const { noted } = await store
      .selectFrom('returned_emails')
      .select((row) => row.fn.countAll().as('noted'))
      .executeTakeFirstOrThrow();
    expect(Number(noted)).toBe(batch.length);
  });
});
