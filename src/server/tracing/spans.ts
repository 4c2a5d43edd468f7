import type { FairGate } from '../../access/fair-gate.ts';
import { laneOf } from '../../access/lanes.ts';
import type { DeliveryAttempt } from '../../outbox/delivery/delivery-attempt.ts';
import type { Outbox } from '../../outbox/delivery/outbox-worker.ts';
import type { CallAttempt } from '../../phone-calls/calls.ts';
import type { Passwords } from '../../security/passwords.ts';
import { type Engine, engineOf, type Statement, type Store } from '../../store/database.ts';
import type { Service } from '../service.ts';
import { errorType, type Tracing } from './tracing.ts';

const systems: Record<Engine, string> = { sqlite: 'sqlite', postgres: 'postgresql' };

/** Wraps the services that requests wait for, so that each wait gets a span. */
export const traced = ({ gate, lookups, passwords, outbox }: Service, tracing: Tracing) => ({
  gate: traceGate(gate, tracing, 'hashes'),
  lookups: traceGate(lookups, tracing, 'lookups'),
  passwords: tracePasswords(passwords, tracing),
  outbox: traceOutboxSeparately(outbox, tracing),
});

/** Records a database statement; its text contains placeholders instead of values. */
export const recordStatement =
  ({ recordSpan }: Tracing) =>
  ({ engine, sql, milliseconds, error }: Statement): void => {
    const operation = /\w+/.exec(sql)?.[0]?.toUpperCase() ?? '_OTHER';
    const [, table] = /\b(?:from|into|update) "(\w+)"/.exec(sql) ?? [];
    recordSpan({
      name: table ? `${operation} ${table}` : operation,
      kind: 'client',
      milliseconds,
      attributes: {
        'db.system.name': systems[engine],
        'db.operation.name': operation,
        'db.query.text': sql,
        ...(table && { 'db.collection.name': table }),
      },
      ...(error !== undefined && { error: errorType(error) }),
    });
  };

/** Puts the statements of a transaction into one span, which also covers the wait for its turn and for the disk. */
export function traceTransactions(store: Store, { around }: Tracing): void {
  const attributes = { 'db.system.name': systems[engineOf(store)], 'db.operation.name': 'TRANSACTION' };
  const begin = store.transaction.bind(store);
  store.transaction = () => {
    const builder = begin();
    const execute = builder.execute.bind(builder);
    builder.execute = (work) => around({ name: 'TRANSACTION', kind: 'client', attributes }, () => execute(work));
    return builder;
  };
}

/** Records how long requests wait for their turn. */
function traceGate(gate: FairGate, { recordSpan }: Tracing, name: string): FairGate {
  return {
    ...gate,
    async run(place, work) {
      const began = performance.now();
      const entered = (error?: string) =>
        recordSpan({
          name: 'wait for a turn',
          milliseconds: performance.now() - began,
          attributes: { 'vestibule.gate': name, 'vestibule.lane': place.lane ?? laneOf(place.from) },
          error,
        });
      let isInside = false;
      try {
        return await gate.run(place, () => {
          isInside = true;
          entered();
          return work();
        });
      } catch (error) {
        if (!isInside) entered(errorType(error));
        throw error;
      }
    },
  };
}

const tracePasswords = (passwords: Passwords, { around }: Tracing): Passwords => ({
  ...passwords,
  hash: (password) => around({ name: 'password hash', attributes: {} }, () => passwords.hash(password)),
  verify: (known, password) =>
    around({ name: 'password verify', attributes: {} }, () => passwords.verify(known, password)),
});

/** A request only wakes the outbox: emails leave after the response, together with those of other requests. */
const traceOutboxSeparately = (outbox: Outbox, { apart }: Tracing): Outbox => ({
  ...outbox,
  wake: () => apart(() => outbox.wake()),
});

export const recordEmail =
  ({ recordSpan, apart }: Tracing) =>
  ({ id, notice, outcome, milliseconds }: DeliveryAttempt): void =>
    apart(() =>
      recordSpan({
        name: 'send mail',
        kind: 'client',
        alone: true,
        milliseconds,
        attributes: { 'vestibule.outbox': id, 'vestibule.notice': notice, 'vestibule.outcome': outcome },
        error: outcome === 'sent' || outcome === 'withheld' ? undefined : outcome,
      }),
    );

export const recordCall =
  ({ recordSpan }: Tracing) =>
  ({ call, provider, outcome, milliseconds }: CallAttempt): void =>
    recordSpan({
      name: 'place a call',
      kind: 'client',
      alone: true,
      milliseconds,
      attributes: { 'vestibule.call': call, 'vestibule.provider': provider, 'vestibule.outcome': outcome },
      error: outcome === 'placed' ? undefined : outcome,
    });
