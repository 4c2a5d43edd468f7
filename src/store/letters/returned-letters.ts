import type { Store } from '../database.ts';
import { unreachableReasons } from './unreachable-addresses.ts';

/** `refused`: for a reason that may be another one tomorrow, such as a full mailbox; `delayed`: it is still tried. */
export const returnKinds = [...unreachableReasons, 'refused', 'delayed'] as const;
export type ReturnKind = (typeof returnKinds)[number];

/** Who can tell us that a letter came back: another server's report, or a relay. */
export const returners = ['dsn', 'ses', 'postmark', 'mailgun', 'sendgrid'] as const;
export type Returner = (typeof returners)[number];

/** A report that a letter came back, so that the same one has no effect twice. Holds no address. */
export interface ReturnedLettersTable {
  /** Who told it, and what it is called there. */
  id: string;
  told_by: Returner;
  kind: ReturnKind;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    returned_letters: ReturnedLettersTable;
  }
}

/** False when it is there already. */
export async function noteReturned(store: Store, returned: ReturnedLettersTable): Promise<boolean> {
  const noted = await store
    .insertInto('returned_letters')
    .values(returned)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return noted !== undefined;
}

/** Which of these reports are there already. */
export async function knownReturned(store: Store, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const known = await store.selectFrom('returned_letters').select('id').where('id', 'in', ids).execute();
  return new Set(known.map(({ id }) => id));
}

/** How many came back since then, by who told it and how. */
export const countReturned = (store: Store, { since }: { since: number }) =>
  store
    .selectFrom('returned_letters')
    .select((row) => ['told_by', 'kind', row.fn.countAll<number>().as('count')])
    .where('at', '>', since)
    .groupBy(['told_by', 'kind'])
    .orderBy('told_by')
    .orderBy('kind')
    .execute();
