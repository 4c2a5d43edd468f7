import { sql } from 'kysely';
import { days, hours } from '../../contract/units.ts';
import { hasRow, type Store } from '../database.ts';
import { deliveryLimit } from '../emails/outbox.ts';
import { singleUse } from '../single-use.ts';
import { recentIn } from '../wrong-clock.ts';

/** Each starts when the email is sent. */
const resetLinkLifetime = hours(1);
const invitationLifetime = days(3);

export interface ResetLinksTable {
  /** SHA-256 of the link's secret. */
  token_hash: string;
  account_id: string;
  /** The email with the link: its validity begins when it is sent. */
  outbox_id: string;
  created_at: number;
  used_at: number | null;
  /** The label from the request: stored with the account once its owner has used the link. */
  db_type: string | null;
}

declare module '../database.ts' {
  interface Database {
    reset_links: ResetLinksTable;
  }
}

/** A use also voids the other links of the account. */
export const resetLinks = singleUse('reset_links', { keeps: true, together: true });

/** The account of a link that still works, or undefined. */
export const findResetLink = (store: Store, { tokenHash, now }: { tokenHash: string; now: number }) =>
  store
    .selectFrom('reset_links')
    .innerJoin('outbox', 'outbox.id', 'reset_links.outbox_id')
    .innerJoin('accounts', 'accounts.id', 'reset_links.account_id')
    .select(['accounts.id as account_id', 'accounts.email', 'accounts.email_key', 'accounts.email_proven_at'])
    .select(['accounts.name', 'accounts.locale', 'accounts.time_zone', 'reset_links.db_type'])
    .where('reset_links.token_hash', '=', tokenHash)
    .where('reset_links.used_at', 'is', null)
    .where(({ and, or, eb }) =>
      or([
        and([
          eb('outbox.sent_at', 'is', null),
          recentIn(sql.ref('reset_links.created_at'), { now, within: deliveryLimit }),
        ]),
        and([
          eb('outbox.notice', '=', 'invitation'),
          recentIn(sql.ref('outbox.sent_at'), { now, within: invitationLifetime }),
        ]),
        recentIn(sql.ref('outbox.sent_at'), { now, within: resetLinkLifetime }),
      ]),
    )
    .executeTakeFirst();

/** Whether a link was sent to this address and was then used, or ended by a change of the account. */
export const isUsedResetLink = (
  store: Store,
  { tokenHash, key }: { tokenHash: string; key: string },
): Promise<boolean> =>
  hasRow(
    store
      .selectFrom('reset_links')
      .innerJoin('accounts', 'accounts.id', 'reset_links.account_id')
      .select('accounts.id')
      .where('reset_links.token_hash', '=', tokenHash)
      .where('reset_links.used_at', 'is not', null)
      .where('accounts.email_key', '=', key),
  );
