import { sql } from 'kysely';
import { minutes } from '../../contract/units.ts';
import type { Store, StoreTransaction } from '../database.ts';
import { deliveryLimit } from '../emails/outbox.ts';
import { singleUse } from '../single-use.ts';
import { recentIn } from '../wrong-clock.ts';

/** Starts when its email is sent. */
export const mailCodeLifetime = minutes(10);

/** A requested code. An address without an account also gets a row, so that requests do not reveal accounts. */
export interface MailCodesTable {
  /** SHA-256 of the secret cookie of the browser that requested it. */
  id: string;
  email_key: string;
  account_id: string | null;
  /** The email with the code; null for an address without an account. */
  outbox_id: string | null;
  /** A keyed hash, since six digits have no entropy. */
  proof: string;
  attempts_left: number;
  created_at: number;
  used_at: number | null;
}

declare module '../database.ts' {
  interface Database {
    mail_codes: MailCodesTable;
  }
}

/** A use also voids the other codes of the account, including those in emails on their way. */
export const mailCodes = singleUse('mail_codes', { keeps: true, together: true });

interface Browser {
  /** SHA-256 of each of its secrets. */
  readonly ids: readonly string[];
  readonly emailKey: string;
  readonly now: number;
}

/**
 * Uses up one try of each code before the comparison, so that parallel guesses share three. Returns the codes that had one.
 */
export const takeMailCodeTries = (store: Store, { ids, emailKey, now }: Browser) =>
  store
    .updateTable('mail_codes')
    .set((row) => ({ attempts_left: row('attempts_left', '-', 1) }))
    .where('id', 'in', ids.length > 0 ? ids : [''])
    .where('email_key', '=', emailKey)
    .where('used_at', 'is', null)
    .where('attempts_left', '>', 0)
    .where(recentIn(sql.ref('created_at'), { now, within: deliveryLimit }))
    .where(
      recentIn(
        sql`coalesce((select coalesce(sent_at, ${now}) from outbox where outbox.id = mail_codes.outbox_id), mail_codes.created_at)`,
        { now, within: mailCodeLifetime },
      ),
    )
    .returningAll()
    .execute();

/** Removes all codes that were requested for an address. */
export const forgetMailCodesFor = (trx: StoreTransaction, emailKey: string) =>
  trx.deleteFrom('mail_codes').where('email_key', '=', emailKey).execute();
