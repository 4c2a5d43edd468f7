import type { Store, StoreTransaction } from '../database.ts';
import { suppressionReasons } from './suppression-list.ts';

/** `refused`: for a temporary reason, such as a full mailbox; `delayed`: delivery attempts continue. */
export const bounceKinds = [...suppressionReasons, 'refused', 'delayed'] as const;
export type BounceKind = (typeof bounceKinds)[number];

/** Sources of bounces: a delivery status notification from another mail server, or a relay. */
export const bounceReporters = ['dsn', 'ses', 'postmark', 'mailgun', 'sendgrid'] as const;
export type BounceReporter = (typeof bounceReporters)[number];

/** A bounce, stored so that the same report has no effect twice. Contains no address. */
export interface BouncesTable {
  /** The reporter, and the event's id there. */
  id: string;
  told_by: BounceReporter;
  /** `ignored`: an event without effect, stored to prevent a replay of its signature. */
  kind: BounceKind | 'ignored';
  at: number;
}

declare module '../database.ts' {
  interface Database {
    returned_emails: BouncesTable;
  }
}

/** Four parameters per row; SQLite accepts 32,766 in one statement. */
const rowsPerStatement = 2500;

/** Records reports, and returns the ids of the new ones. */
export async function recordBounce(
  trx: StoreTransaction,
  returned: readonly BouncesTable[],
): Promise<ReadonlySet<string>> {
  const noted = new Set<string>();
  for (let at = 0; at < returned.length; at += rowsPerStatement) {
    const rows = await trx
      .insertInto('returned_emails')
      .values(returned.slice(at, at + rowsPerStatement))
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .execute();
    for (const { id } of rows) noted.add(id);
  }
  return noted;
}

/** Returns the ids of reports that are already recorded. */
export async function knownBounces(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (let at = 0; at < ids.length; at += rowsPerStatement) {
    const some = ids.slice(at, at + rowsPerStatement);
    const rows = await store.selectFrom('returned_emails').select('id').where('id', 'in', some).execute();
    for (const { id } of rows) known.add(id);
  }
  return known;
}

/** Counts bounces since a time (ms since the epoch), by reporter and kind. */
export const countBounces = (store: Store, { since }: { since: number }) =>
  store
    .selectFrom('returned_emails')
    .select((row) => ['told_by', 'kind', row.fn.countAll<number>().as('count')])
    .where('at', '>', since)
    .where('kind', '!=', 'ignored')
    .groupBy(['told_by', 'kind'])
    .orderBy('told_by')
    .orderBy('kind')
    .execute();
