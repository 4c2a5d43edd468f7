import type { Compilable, CompiledQuery } from 'kysely';
import { type Engine, engineOf, type Store } from './database.ts';

/**
 * A question that is asked with most requests, put into words once for each engine: doing that takes longer than its
 * answer. Its parameters are those of `ask`, in their order.
 */
export function prepared<Parameters extends readonly string[], Row>(
  ask: (store: Store, ...parameters: Parameters) => Compilable<Row>,
): (store: Store, ...parameters: Parameters) => Promise<Row[]> {
  const made = new Map<Engine, CompiledQuery<Row>>();
  return async (store, ...parameters) => {
    const engine = engineOf(store);
    const query = made.get(engine) ?? ask(store, ...parameters).compile();
    made.set(engine, query);
    return (await store.executeQuery<Row>({ ...query, parameters })).rows;
  };
}
