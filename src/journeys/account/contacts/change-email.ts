import { shutOut } from '../../../access/shut-out.ts';
import type { Failure } from '../../../contract/failures.ts';
import { refuse } from '../../../contract/refuse.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { findNamed, type NamedSession } from '../../../store/access/named-sessions.ts';
import { isLive } from '../../../store/access/sessions.ts';
import { type AccountsTable, holdAndFind } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import {
  type EmailChangesTable,
  findEmailChange,
  forgetEmailWish,
  isUsedChangeLink,
  keepChange,
  setEmail,
  undoWithin,
} from '../../../store/accounts/email-changes.ts';
import { emailKey } from '../../../store/accounts/email-key.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { recordEvent } from '../../../store/webhooks/record-event.ts';
import * as contract from './change-email.contract.ts';
import { linkTo, takenAs } from './change-email-link.ts';

interface ConfirmingBrowser {
  readonly hash: string;
  readonly visitor: Visitor;
  /** The session of the browser that opens the link, if it has one. */
  readonly session: NamedSession | undefined;
}

/**
 * Uses the new address from now on, and emails the old one a link that undoes it. Only the account's own session proves
 * that its owner reads the new address: a thief could have entered a victim's address, and the victim presses the button.
 */
export async function changeEmail(
  service: Service,
  { hash, session, visitor }: ConfirmingBrowser,
): Promise<{ email: string; accountId: string }> {
  const endpoint = contract.changeEmail;
  const now = service.now();
  const changing = service.store.transaction().execute(async (trx) => {
    const presented = { hash: sha256(hash), now };
    const change = await findEmailChange(trx, presented);
    const account = change && (await holdAndFind(trx, change.account_id));
    // Check again under the lock: someone may have used the link at the same time.
    if (!account || !(await findEmailChange(trx, presented))) throw await expired(trx, presented.hash);
    const opening = await findNamed(trx, session);
    const isOwner = opening !== undefined && isLive(opening, now) && opening.account_id === account.id;
    const isSame = emailKey(change.email) === account.email_key;
    const provenBefore = isSame ? account.email_proven_at : null;
    const provenAt = isOwner ? now : provenBefore;
    if (!(await setEmail(trx, { id: account.id, email: change.email, provenAt })))
      throw refuse(endpoint, 'account_exists');
    if (isSame) {
      await forgetEmailWish(trx, change.token_hash);
      await recordEvent(trx, { type: 'account.changed', accountId: account.id, at: now });
      return { email: change.email, accountId: account.id };
    }
    await keepUndo(service, trx, { account, change, confirmedIn: isOwner ? opening.id : null, now });
    await shutOut(trx, { account, cause: 'address_changed', at: now });
    await recordActivity(trx, { accountId: account.id, at: now, kind: 'email_changed', visitor });
    return { email: change.email, accountId: account.id };
  });
  const changed = await changing.catch(takenAs(endpoint));
  service.outbox.wake();
  return changed;
}

/** A used link says so: the response to its first request may have been lost. */
async function expired(trx: StoreTransaction, hash: string): Promise<Failure> {
  const isUsed = await isUsedChangeLink(trx, hash);
  return refuse(contract.changeEmail, 'confirmation_link_expired', isUsed ? { used: true } : {});
}

interface MadeChange {
  /** The row before the change, with the old address. */
  readonly account: AccountsTable;
  readonly change: EmailChangesTable;
  /** The account's session that opened the link. */
  readonly confirmedIn: string | null;
  readonly now: number;
}

async function keepUndo(
  service: Service,
  trx: StoreTransaction,
  { account, change, confirmedIn, now }: MadeChange,
): Promise<void> {
  const { email: old_email, email_proven_at: old_email_proven_at } = account;
  const secret = randomSecret(256);
  await keepChange(trx, change.token_hash, {
    changed_at: now,
    undo_hash: sha256(secret),
    old_email,
    old_email_proven_at,
    confirmed_in: confirmedIn,
  });
  const link = linkTo(service, account, { email: old_email, hash: `undo.${secret}` });
  const params = { link, when: now + undoWithin, email: change.email };
  await enqueueEmail(trx, { notice: 'email_changed', params, account, at: now });
}
