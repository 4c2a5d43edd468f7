import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { openKeyEncryption } from '../../security/key-encryption.ts';
import { openStore, type StoreTransaction } from '../../store/database.ts';
import { openUntouched } from '../../store/sqlite/files.ts';
import { UsageError } from '../command.ts';

interface Filling {
  /** A fully migrated SQLite database that no process writes. */
  readonly file: string;
  readonly databaseUrl: string;
  /** The secret that seals the keys in the file, and the one that will seal them. */
  readonly secrets: { readonly former: string | undefined; readonly next: string | undefined };
}

/**
 * Copies everything in a SQLite database to a fully migrated PostgreSQL without accounts, in one transaction. Throws a
 * `UsageError` if there are accounts.
 */
export async function fillPostgres({ file, databaseUrl, secrets }: Filling): Promise<void> {
  const store = openStore({ dataDir: '', databaseUrl }, { waitsFor: Number.POSITIVE_INFINITY });
  const source = openUntouched(file);
  try {
    await store.transaction().execute(async (trx) => {
      const tables = parentsFirst(source);
      // Also removes keys and counts of a node that ran here before; a running node waits until the copy is done.
      await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in access exclusive mode`.execute(trx);
      if (await trx.selectFrom('accounts').select('id').limit(1).executeTakeFirst())
        throw new UsageError('DATABASE_URL: this database already contains accounts; restore into an empty one');
      await sql`truncate ${sql.join(tables.map((table) => sql.table(table)))}`.execute(trx);
      for (const table of tables) await copyTable(table, { source, trx });
      await sealAnew(trx, secrets);
    });
    // Without it, the first queries are planned as if the tables were empty.
    await sql`analyze`.execute(store);
  } finally {
    source.close();
    await store.destroy();
  }
}

/** The tables of the service, each after those that it references; without those that record migrations. */
function parentsFirst(source: DatabaseSync): string[] {
  const named = source
    .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
    .all();
  const tables = named.map(({ name }) => String(name)).filter((name) => !marks.has(name));
  const references = source.prepare('select "table" as parent from pragma_foreign_key_list(?)');
  const depth = (table: string): number =>
    Math.max(0, ...references.all(table).map(({ parent }) => 1 + depth(String(parent))));
  return tables.toSorted((one, other) => depth(one) - depth(other));
}

const marks: ReadonlySet<string> = new Set(['kysely_migration', 'oldest_code']);

const rowsAtOnce = 1000;

async function copyTable(
  table: string,
  { source, trx }: { source: DatabaseSync; trx: StoreTransaction },
): Promise<void> {
  let batch: unknown[] = [];
  for (const row of source.prepare(`select * from "${table}"`).iterate()) {
    if (batch.push(row) < rowsAtOnce) continue;
    await insert(batch, { table, trx });
    batch = [];
  }
  await insert(batch, { table, trx });
}

/** Inserts by column name: columns that were added later may be in another order. */
async function insert(
  rows: readonly unknown[],
  { table, trx }: { table: string; trx: StoreTransaction },
): Promise<void> {
  const into = sql.table(table);
  await sql`insert into ${into} select * from json_populate_recordset(null::${into}, ${JSON.stringify(rows)})`.execute(
    trx,
  );
}

async function sealAnew(trx: StoreTransaction, { former, next }: Filling['secrets']): Promise<void> {
  const [was, becomes] = [openKeyEncryption(former), openKeyEncryption(next)];
  for (const { id, secret } of await trx.selectFrom('keys').select(['id', 'secret']).execute()) {
    const sealed = becomes.seal(was.open(secret));
    await trx.updateTable('keys').set({ secret: sealed }).where('id', '=', id).execute();
  }
  const again = (sealed: string | null) => sealed && becomes.seal(was.open(sealed));
  for (const { account_id, secret, recovery_key } of await trx
    .selectFrom('authenticators')
    .select(['account_id', 'secret', 'recovery_key'])
    .execute()) {
    await trx
      .updateTable('authenticators')
      .set({ secret: again(secret), recovery_key: again(recovery_key) })
      .where('account_id', '=', account_id)
      .execute();
  }
  for (const { session_id, secret } of await trx
    .selectFrom('pending_authenticators')
    .select(['session_id', 'secret'])
    .execute()) {
    const sealed = becomes.seal(was.open(secret));
    await trx
      .updateTable('pending_authenticators')
      .set({ secret: sealed })
      .where('session_id', '=', session_id)
      .execute();
  }
}
