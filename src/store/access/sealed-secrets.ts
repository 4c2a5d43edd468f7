import { sql } from 'kysely';
import type { Store } from '../database.ts';

/** Every column with secrets that the operator's secret seals, with the key of its table; JSON in one is not sealed. */
const sealedColumns = [
  { table: 'keys', key: 'id', column: 'secret' },
  { table: 'authenticators', key: 'account_id', column: 'secret' },
  { table: 'authenticators', key: 'account_id', column: 'recovery_key' },
  { table: 'pending_authenticators', key: 'session_id', column: 'secret' },
  { table: 'outbox', key: 'id', column: 'params' },
  { table: 'settings_seen', key: 'id', column: 'settings' },
  { table: 'stored_receivers', key: 'id', column: 'target' },
  { table: 'operator_requests', key: 'hash', column: 'response' },
] as const;

type SealedColumn = (typeof sealedColumns)[number];

/** The columns of the keys that sign, and those of the other secrets. */
export const columnsOfKeys = sealedColumns.filter(({ table }) => table === 'keys');
export const otherSealedColumns = sealedColumns.filter(({ table }) => table !== 'keys');

const pageSize = 500;

/**
 * Replaces each secret by what `again` returns, and returns how many it changed. Requests continue meanwhile: a secret
 * that one of them changes is left as it is.
 */
export async function replaceSealed(
  store: Store,
  columns: readonly SealedColumn[],
  again: (sealed: string) => string,
): Promise<number> {
  let replaced = 0;
  for (const one of columns)
    for await (const { id, sealed } of secretsIn(store, one)) {
      const { table, key, column } = one;
      const next = again(sealed);
      if (next === sealed) continue;
      const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${next}
        where ${sql.ref(key)} = ${id} and ${sql.ref(column)} = ${sealed}`.execute(store);
      replaced += Number(numAffectedRows);
    }
  return replaced;
}

/** How many secrets fulfill a condition. */
export async function countSealed(store: Store, isCounted: (sealed: string) => boolean): Promise<number> {
  let count = 0;
  for (const column of sealedColumns)
    for await (const { sealed } of secretsIn(store, column)) if (isCounted(sealed)) count += 1;
  return count;
}

async function* secretsIn(store: Store, { table, key, column }: Readonly<Record<keyof SealedColumn, string>>) {
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string; sealed: string }>`
      select ${sql.ref(key)} as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
      where ${sql.ref(column)} not like '{%' and ${sql.ref(key)} > ${after}
      order by ${sql.ref(key)} limit ${pageSize}`.execute(store);
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
