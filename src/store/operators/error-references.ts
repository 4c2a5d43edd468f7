import { sql } from 'kysely';
import { days } from '../../contract/units.ts';
import type { Store } from '../database.ts';

/** References that error pages have shown to people who were signed in. */
interface ErrorReferencesTable {
  reference: string;
  account_id: string;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    error_references: ErrorReferencesTable;
  }
}

export const referenceKept = days(30);

/** Keeps a reference for the owner of a session, which may have ended. */
export const keepReference = (
  store: Store,
  { reference, sessionId, at }: { reference: string; sessionId: string; at: number },
) =>
  sql`insert into error_references (reference, account_id, at)
    select ${reference}, account_id, ${at} from sessions where id = ${sessionId}
    on conflict (reference) do nothing`.execute(store);

/** The account that saw an error with this reference. */
export const accountOfReference = (store: Store, reference: string) =>
  store
    .selectFrom('error_references')
    .innerJoin('accounts', 'accounts.id', 'error_references.account_id')
    .selectAll('accounts')
    .where('reference', '=', reference)
    .executeTakeFirst();
