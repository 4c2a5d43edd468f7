import { sql } from 'kysely';
import type { Store } from '../database.ts';

interface SealedColumn {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  /** The member that is sealed, of JSON in the column that has it. */
  readonly member?: string;
}

/** Every column with secrets that the operator's secret seals, with the key of its table; other JSON in one is not sealed. */
const sealedColumns: readonly SealedColumn[] = [
  { table: 'keys', key: 'id', column: 'secret' },
  { table: 'authenticators', key: 'account_id', column: 'secret' },
  { table: 'authenticators', key: 'account_id', column: 'recovery_key' },
  { table: 'pending_authenticators', key: 'session_id', column: 'secret' },
  { table: 'outbox', key: 'id', column: 'params' },
  { table: 'settings_seen', key: 'id', column: 'settings' },
  { table: 'stored_receivers', key: 'id', column: 'target' },
  { table: 'operator_requests', key: 'hash', column: 'response' },
  // Of an account's channels, only the webhook has a secret.
  { table: 'alarm_channels', key: 'account_id', column: 'target', member: 'secret' },
];

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
    for await (const { id, value, sealed } of secretsIn(store, one)) {
      const { table, key, column, member } = one;
      const next = again(sealed);
      if (next === sealed) continue;
      const written = member === undefined ? next : JSON.stringify({ ...JSON.parse(value), [member]: next });
      const { numAffectedRows = 0n } = await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${written}
        where ${sql.ref(key)} = ${id} and ${sql.ref(column)} = ${value}`.execute(store);
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

async function* secretsIn(store: Store, { table, key, column, member }: SealedColumn) {
  const own =
    member === undefined ? sql`${sql.ref(column)} not like '{%'` : sql`${sql.ref(column)} like ${`{%"${member}":%`}`;
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string; value: string }>`
      select ${sql.ref(key)} as id, ${sql.ref(column)} as value from ${sql.table(table)}
      where ${own} and ${sql.ref(key)} > ${after}
      order by ${sql.ref(key)} limit ${pageSize}`.execute(store);
    for (const { id, value } of rows)
      yield { id, value, sealed: member === undefined ? value : String(JSON.parse(value)[member]) };
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}
