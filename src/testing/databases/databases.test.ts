import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../store/database.ts';
import { engines, freshDatabase, freshStore, withLongTimeouts } from './databases.ts';

describe.each(engines)('a fresh database on %s', (engine) => {
  it('has the requested engine', async () => {
    const store = await freshStore(engine);
    const { rows } = await sql<{
      version: string;
    }>`select ${sql.raw(engine === 'postgres' ? 'version()' : 'sqlite_version()')} as version`.execute(store);
    expect(rows[0]?.version).toMatch(engine === 'postgres' ? /^PostgreSQL 18/ : /^3\./);
  });

  it('has the current tables, and they are empty', async () => {
    const store = await freshStore(engine);
    expect(await store.selectFrom('accounts').selectAll().execute()).toEqual([]);
  });

  it('shares nothing with another one', async () => {
    const [one, other] = [
      openStore(await freshDatabase(engine), withLongTimeouts),
      openStore(await freshDatabase(engine), withLongTimeouts),
    ];
    await sql`create table only_here (id integer)`.execute(one);
    await expect(sql`select * from only_here`.execute(other)).rejects.toThrow(/only_here/);
    await Promise.all([one.destroy(), other.destroy()]);
  });
});
