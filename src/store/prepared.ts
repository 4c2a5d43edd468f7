import { type Compilable, type CompiledQuery, type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type Engine, engineOf, type Store } from './database.ts';
import { inBatchesOf } from './in-batches.ts';

/** A question, or a change, that is put into words once for each engine: doing that takes longer than its answer. */
type Statement<Row> = Compilable<Row> | RawBuilder<Row>;

/** Stands for a value by its name until the statement runs. */
class Placeholder {
  readonly name: string | number;

  constructor(name: string | number) {
    this.name = name;
  }
}

function wordedOnce<Row>() {
  const made = new Map<Engine, CompiledQuery<Row>>();
  return async (store: Store, values: object, word: () => Statement<Row>): Promise<Row[]> => {
    const engine = engineOf(store);
    const query = made.get(engine) ?? (word().compile(store) as CompiledQuery<Row>);
    made.set(engine, query);
    const named = values as Record<string | number, unknown>;
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? named[one.name] : one));
    return (await store.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** A statement that runs with most requests. `ask` only puts its parameters where they belong, as often as it needs them. */
export function prepared<Parameters extends readonly (string | readonly string[])[], Row>(
  ask: (store: Store, ...parameters: Parameters) => Statement<Row>,
): (store: Store, ...parameters: Parameters) => Promise<Row[]> {
  const run = wordedOnce<Row>();
  return (store, ...parameters) =>
    run(store, parameters, () => {
      const places = parameters.map((_, at) => new Placeholder(at));
      return ask(store, ...(places as unknown as Parameters));
    });
}

const placeholders: object = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) });

/** The same with values by their names. */
export function preparedWith<Given extends object, Row>(
  ask: (store: Store, given: Given) => Statement<Row>,
): (store: Store, given: Given) => Promise<Row[]> {
  const run = wordedOnce<Row>();
  return (store, given) => run(store, given, () => ask(store, placeholders as Given));
}

/** A condition that a column is the key that is looked up, or one of those. */
type IsKey = (column: string) => Expression<SqlBool>;

/**
 * A question about what is found by one key, which each row has in `keyIn`: on PostgreSQL, what is looked up at the same
 * time is one statement. Within a transaction it is a statement of its own.
 */
export function preparedByKey<Row>(
  keyIn: keyof Row,
  ask: (store: Store, isKey: IsKey) => Compilable<Row>,
): (store: Store, key: string) => Promise<Row[]> {
  const alone = prepared((store, key: string) => ask(store, (column) => sql`${sql.ref(column)} = ${key}`));
  const together = prepared((store, keys: string[]) => ask(store, (column) => sql`${sql.ref(column)} = any(${keys})`));
  const lookUp = inBatchesOf(async (store, keys: readonly string[]) => {
    const found = Map.groupBy(await together(store, [...new Set(keys)]), (row) => row[keyIn] as string);
    return keys.map((key) => found.get(key) ?? []);
  });
  return (store, key) => (engineOf(store) === 'sqlite' || store.isTransaction ? alone(store, key) : lookUp(store, key));
}
