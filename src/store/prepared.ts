import {
  type Compilable,
  type CompiledQuery,
  type Expression,
  type OperationNode,
  type RawBuilder,
  type SqlBool,
  sql,
  ValueNode,
} from 'kysely';
import { commitAsynchronously } from './asynchronous-commit.ts';
import { openBatchesByStore } from './batching.ts';
import { type Engine, engineOf, type Store } from './database.ts';

/** A statement that is compiled once per engine, because compilation takes longer than execution. */
type Statement<Row> = Compilable<Row> | RawBuilder<Row>;

type Value = string | number | null | readonly string[];

/** Placeholders for a statement's values during compilation; each fits only where a value of its type does. */
export type Placeholders<Values> = { readonly [Name in keyof Values]: Expression<Values[Name]> };

/** Stands for a named value until the statement runs. Code cannot compute with it. */
class Placeholder implements Expression<unknown> {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  get expressionType() {
    return undefined;
  }

  toOperationNode(): OperationNode {
    return ValueNode.create(this);
  }

  [Symbol.toPrimitive](): never {
    throw new Error(`${this.name} of a prepared statement has no value yet: compute with it in SQL or beforehand`);
  }

  toString = this[Symbol.toPrimitive];
  toJSON = this[Symbol.toPrimitive];
}

type Standin = Placeholder | null;

/** Allows reads by single names only: the full set of names is unknown during compilation. */
function placeholders(standIn: (name: string) => Standin): object {
  const refuse = (): never => {
    throw new Error('the values of a prepared statement can only be read by their names');
  };
  return new Proxy(
    {},
    { get: (_, name) => (typeof name === 'string' ? standIn(name) : refuse()), ownKeys: refuse, has: refuse },
  );
}

/**
 * Compiles a statement, and again with each value null. A condition on a value, which JavaScript does not let us
 * intercept, would produce another statement. Throws if it does.
 */
function compileOnce<Row>(compile: (given: object) => CompiledQuery<Row>): CompiledQuery<Row> {
  const known = new Map<string, Placeholder>();
  const placeholder = (name: string): Placeholder => {
    const one = known.get(name) ?? new Placeholder(name);
    known.set(name, one);
    return one;
  };
  const query = compile(placeholders(placeholder));
  for (const [name, absent] of [...known]) {
    const again = compile(placeholders((one) => (one === name ? null : placeholder(one))));
    const expected = query.parameters.map((one) => (one === absent ? null : one));
    if (again.sql === query.sql && isSame(again.parameters, expected)) continue;
    throw new Error(`${name} of a prepared statement changes its text: write the condition in SQL`);
  }
  return query;
}

const isSame = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, at) => Object.is(one, others[at]));

function preparedOnce<Row>(
  ask: (store: Store, given: object) => Statement<Row>,
  adapt: (query: CompiledQuery<Row>, engine: Engine) => CompiledQuery<Row> = (query) => query,
) {
  const made = new Map<Engine, CompiledQuery<Row>>();
  const make = (store: Store, engine: Engine) =>
    adapt(
      compileOnce((given) => ask(store, given).compile(store) as CompiledQuery<Row>),
      engine,
    );
  return async (store: Store, values: object): Promise<Row[]> => {
    const engine = engineOf(store);
    const query = made.get(engine) ?? make(store, engine);
    made.set(engine, query);
    const named = values as Record<string, unknown>;
    const parameters = query.parameters.map((one) => (one instanceof Placeholder ? named[one.name] : one));
    return (await store.executeQuery<Row>({ ...query, parameters })).rows;
  };
}

/** Prepares a frequent statement with one value. `ask` only places the value, as often as needed. */
export function prepared<One extends Value, Row>(
  ask: (store: Store, value: Expression<One>) => Statement<Row>,
): (store: Store, value: One) => Promise<Row[]> {
  const run = preparedOnce((store, given) => ask(store, (given as { value: Expression<One> }).value));
  return (store, value) => run(store, { value });
}

/** The same with named values. */
export function preparedWith<Values extends { readonly [Name in keyof Values]: Value }, Row>(
  ask: (store: Store, given: Placeholders<Values>) => Statement<Row>,
): (store: Store, given: Values) => Promise<Row[]> {
  return preparedOnce((store, given) => ask(store, given as Placeholders<Values>));
}

/**
 * The same for changes that a power cut may undo. Never within a transaction, whose other changes would then be undone
 * as well.
 */
export function preparedToCommitAsynchronously<Values extends { readonly [Name in keyof Values]: Value }, Row>(
  ask: (store: Store, given: Placeholders<Values>) => Statement<Row>,
): (store: Store, given: Values) => Promise<Row[]> {
  const run = preparedOnce((store, given) => ask(store, given as Placeholders<Values>), commitAsynchronously);
  return (store, given) => {
    if (store.isTransaction) throw new Error('a transaction commits all of its changes in the same way');
    return run(store, given);
  };
}

/** A condition that a column equals the key, or one of several keys. */
type IsKey = (column: string) => Expression<SqlBool>;

/**
 * Prepares a lookup by one key, which each row has in `keyIn`. PostgreSQL gets parallel lookups as one statement,
 * except those within transactions.
 */
export function preparedByKey<Row>(
  keyIn: keyof Row,
  ask: (store: Store, isKey: IsKey) => Compilable<Row>,
): (store: Store, key: string) => Promise<Row[]> {
  const alone = prepared((store, key: Expression<string>) => ask(store, (column) => sql`${sql.ref(column)} = ${key}`));
  const together = prepared((store, keys: Expression<string[]>) =>
    ask(store, (column) => sql`${sql.ref(column)} = any(${keys})`),
  );
  const lookUp = openBatchesByStore(async (store, keys: readonly string[]) => {
    const found = Map.groupBy(await together(store, [...new Set(keys)]), (row) => row[keyIn] as string);
    return keys.map((key) => found.get(key) ?? []);
  });
  return (store, key) => (engineOf(store) === 'sqlite' || store.isTransaction ? alone(store, key) : lookUp(store, key));
}
