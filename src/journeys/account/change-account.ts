import type { BodyRead } from '../../contract/endpoint.ts';
import { profileChanges } from '../../contract/fields/profile.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import { changeAccount as change, type ProfileChanges } from '../../store/accounts/account-fields.ts';
import type { AccountsTable } from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { currentConsents, recordConsent } from '../../store/accounts/consents.ts';
import type { StoreTransaction } from '../../store/database.ts';
import type { changeAccount as contract } from './account.contract.ts';

type AccountChanges = BodyRead<typeof contract>;

/** Changes the fields that are present and keeps the others. */
export async function changeAccount(
  trx: StoreTransaction,
  { account, accountId, visitor, at }: Owner,
  changes: AccountChanges,
): Promise<void> {
  const own = ownChanges(changes);
  if (Object.keys(own).length > 0) {
    await change(trx, accountId, own);
    await recordActivity(trx, { accountId, at, kind: 'account_changed', visitor });
  }
  if (await answerOffers(trx, { account, changes, at }))
    await recordActivity(trx, { accountId, at, kind: 'offers_changed', visitor });
}

/** The contract parses a blank field to a key with the value undefined, which removes it. */
function ownChanges(changes: AccountChanges): ProfileChanges {
  const { name, locale, mail_new_device: mailNewDevice } = changes;
  return {
    ...(name !== undefined && { name }),
    ...profileChanges(changes),
    ...(locale !== undefined && { locale }),
    ...(mailNewDevice !== undefined && { mail_new_device: mailNewDevice ? 1 : 0 }),
  };
}

/** Records consent to offers, or its withdrawal, unless nothing changes. Returns whether it changed. */
async function answerOffers(
  trx: StoreTransaction,
  { account: { id: accountId, locale }, changes, at }: { account: AccountsTable; changes: AccountChanges; at: number },
): Promise<boolean> {
  const { consent_offers: offers } = changes;
  if (offers === undefined) return false;
  const given = offers ? 1 : 0;
  const consents = await currentConsents(trx, accountId);
  if (consents.find(({ kind }) => kind === 'offers')?.given === given) return false;
  await recordConsent(trx, { account_id: accountId, kind: 'offers', given, locale: changes.locale ?? locale, at });
  return true;
}
