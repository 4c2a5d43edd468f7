import { type Compilable, type CompiledQuery, type Expression, type SqlBool, sql } from 'kysely';
import { type Engine, engineOf, type Store } from './database.ts';
import { inBatches } from './in-batches.ts';

/**
 * A question that is asked with most requests, put into words once for each engine: doing that takes longer than its
 * answer. Its parameters are those of `ask`, in their order.
 */
export function prepared<Parameters extends readonly (string | readonly string[])[], Row>(
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

/** A condition that a column is the key that is looked up, or one of those. */
type IsKey = (column: string) => Expression<SqlBool>;

/**
 * The same for what is found by one key, which each row has in `keyIn`: on PostgreSQL, what is looked up at the same
 * time is one statement. Within a transaction it is a statement of its own.
 */
export function preparedByKey<Row>(
  keyIn: keyof Row,
  ask: (store: Store, isKey: IsKey) => Compilable<Row>,
): (store: Store, key: string) => Promise<Row[]> {
  const alone = prepared((store, key: string) => ask(store, (column) => sql`${sql.ref(column)} = ${key}`));
  const together = prepared((store, keys: string[]) => ask(store, (column) => sql`${sql.ref(column)} = any(${keys})`));
  const gathered = new WeakMap<Store, (key: string) => Promise<Row[]>>();

  function gatherIn(store: Store): (key: string) => Promise<Row[]> {
    const lookUp = inBatches(async (keys: readonly string[]) => {
      const found = Map.groupBy(await together(store, [...new Set(keys)]), (row) => row[keyIn] as string);
      return keys.map((key) => found.get(key) ?? []);
    });
    gathered.set(store, lookUp);
    return lookUp;
  }

  return (store, key) => {
    if (engineOf(store) === 'sqlite' || store.isTransaction) return alone(store, key);
    return (gathered.get(store) ?? gatherIn(store))(key);
  };
}
