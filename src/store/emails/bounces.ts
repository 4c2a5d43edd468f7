import type { Store, StoreTransaction } from '../database.ts';
import { suppressionReasons } from './suppression-list.ts';

/** `refused`: for a reason that may be another one tomorrow, such as a full mailbox; `delayed`: it is still tried. */
export const bounceKinds = [...suppressionReasons, 'refused', 'delayed'] as const;
export type BounceKind = (typeof bounceKinds)[number];

/** Who can tell us that a letter came back: another server's report, or a relay. */
export const bounceReporters = ['dsn', 'ses', 'postmark', 'mailgun', 'sendgrid'] as const;
export type BounceReporter = (typeof bounceReporters)[number];

/** A report that a letter came back, so that the same one has no effect twice. Holds no address. */
export interface BouncesTable {
  /** Who told it, and what it is called there. */
  id: string;
  told_by: BounceReporter;
  /** `ignored`: an event that changes nothing, and whose signature must not work for another. */
  kind: BounceKind | 'ignored';
  at: number;
}

declare module '../database.ts' {
  interface Database {
    returned_letters: BouncesTable;
  }
}

/** Four parameters each, of which SQLite takes 32,766 in one statement. */
const rowsPerStatement = 2500;

/** Notes reports, and returns the ids of those that were not there yet. */
export async function recordBounce(
  trx: StoreTransaction,
  returned: readonly BouncesTable[],
): Promise<ReadonlySet<string>> {
  const noted = new Set<string>();
  for (let at = 0; at < returned.length; at += rowsPerStatement) {
    const rows = await trx
      .insertInto('returned_letters')
      .values(returned.slice(at, at + rowsPerStatement))
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    for (const { id } of rows) noted.add(id);
  }
  return noted;
}

/** Which of these reports are there already. */
export async function knownBounces(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (let at = 0; at < ids.length; at += rowsPerStatement) {
    const some = ids.slice(at, at + rowsPerStatement);
    const rows = await store.selectFrom('returned_letters').select('id').where('id', 'in', some).execute();
    for (const { id } of rows) known.add(id);
  }
  return known;
}

/** How many came back since then, by who told it and how. */
export const countBounces = (store: Store, { since }: { since: number }) =>
  store
    .selectFrom('returned_letters')
    .select((row) => ['told_by', 'kind', row.fn.countAll<number>().as('count')])
    .where('at', '>', since)
    .where('kind', '!=', 'ignored')
    .groupBy(['told_by', 'kind'])
    .orderBy('told_by')
    .orderBy('kind')
    .execute();
