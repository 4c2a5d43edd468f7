import { type Expression, sql } from 'kysely';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { engines, freshStore } from '../testing/databases/databases.ts';
import { type Placeholders, prepared, preparedToCommitAsynchronously, preparedWith } from './prepared.ts';

interface Values {
  readonly now: number;
  readonly name: string;
  readonly note: string | null;
}

type BoundValues = Placeholders<Values>;

const values: Values = { now: 7, name: 'Anna', note: null };

/** Uses that would freeze the first caller's values into the statement, or lose them. */
const misuses: [sentence: string, ask: (given: BoundValues) => unknown][] = [
  // @ts-expect-error: a placeholder is not a number
  ['arithmetic', ({ now }) => now - 5],
  // @ts-expect-error: a placeholder cannot be compared with a number
  ['comparison', ({ now }) => now > 5],
  ['a template string', ({ name }) => `${name}`],
  ['String()', ({ name }) => String(name)],
  ['toString()', ({ name }) => name.toString()],
  ['JSON of a value', ({ name }) => JSON.stringify(name)],
  ['JSON of all values', (given) => JSON.stringify(given)],
  ['all values spread', (given) => ({ ...given }).name],
  ['the rest of the values', ({ now, ...rest }) => rest.name ?? now],
  ['Object.keys', (given) => Object.keys(given).length],
  ['in', (given) => ('note' in given ? 1 : 2)],
  ['one of two constants', ({ now }) => (now ? 1 : 2)],
  ['one of two values', ({ now, name, note }) => (now ? name : note)],
  ['the value itself or a constant', ({ name }) => name || 'nobody'],
  ['the value itself or another', ({ note, name }) => note ?? name],
  ['a comparison with null', ({ note }) => (note === null ? 1 : 2)],
  ['a negation', ({ note }) => (!note ? 1 : 2)],
];

describe.each(engines)('a prepared statement, on %s', async (engine) => {
  const store = await freshStore(engine);

  test('is compiled once and runs with the values of each call', async () => {
    let worded = 0;
    const find = preparedWith((_store, { now, name, note }: BoundValues) => {
      worded++;
      return sql<{ value: string }>`
        select ${name} || cast(cast(${now} as bigint) as text) || coalesce(cast(${note} as text), '-') as value`;
    });
    expect(await find(store, values)).toEqual([{ value: 'Anna7-' }]);
    const wordedAtFirst = worded;
    expect(await find(store, { now: 8, name: 'Otto', note: '+' })).toEqual([{ value: 'Otto8+' }]);
    expect(worded).toBe(wordedAtFirst);
  });

  test('puts values into the columns of an insert and of a condition', async () => {
    const put = preparedWith((trx, row: Placeholders<{ id: string; key: string; at: number }>) =>
      trx.insertInto('limit_hits').values({ id: row.id, key: row.key, at: row.at }),
    );
    const find = prepared((trx, key: Expression<string>) =>
      trx.selectFrom('limit_hits').select('at').where('key', '=', key),
    );
    await put(store, { id: 'one', key: 'mine', at: 5 });
    await put(store, { id: 'two', key: 'other', at: 6 });
    expect(await find(store, 'mine')).toEqual([{ at: 5 }]);
    expect(await find(store, 'other')).toEqual([{ at: 6 }]);
  });

  test.each(misuses)('rejects %s instead of a value', async (_sentence, use) => {
    const find = preparedWith((_store, given: BoundValues) => sql`select cast(${use(given)} as text) as value`);
    await expect(find(store, values)).rejects.toThrow('of a prepared statement');
  });

  test('commits without an fsync for itself only, never within a transaction', async () => {
    const put = preparedToCommitAsynchronously(
      (_store, { id }: Placeholders<{ id: string }>) =>
        sql`insert into limit_hits (id, key, at) values (${id}, 'asynchronous', 5) returning id`,
    );
    const setting = sql<{ setting: string }>`select current_setting('synchronous_commit') as setting`;
    await store.connection().execute(async (one) => {
      if (engine === 'postgres') await sql`set synchronous_commit = on`.execute(one);
      const [row] = await put(one, { id: 'asynchronous' });
      expect(row).toMatchObject({ id: 'asynchronous' });
      if (engine === 'postgres') expect((await setting.execute(one)).rows).toEqual([{ setting: 'on' }]);
    });
    const within = store.transaction().execute((trx) => put(trx, { id: 'within' }));
    await expect(within).rejects.toThrow('a transaction commits all of its changes');
  });

  test('rejects a condition that depends on a key', async () => {
    const find = prepared((_store, key: Expression<string>) => sql`select ${sql.raw(key ? '1' : '2')} as value`);
    await expect(find(store, 'key')).rejects.toThrow('of a prepared statement');
  });
});

test('a placeholder stands for a value of its type, and for nothing else', () => {
  expectTypeOf<BoundValues['now']>().toEqualTypeOf<Expression<number>>();
  expectTypeOf<BoundValues['now']>().not.toExtend<number>();
  const ask = (_given: Placeholders<{ former: string | undefined }>) => sql`select 1`;
  // @ts-expect-error: an undefined value has no place in a statement
  preparedWith((_store, given: Placeholders<{ former: string | undefined }>) => ask(given));
});
