import type { WithParts } from '../../access/account-part.ts';
import { profileChanges, profileIn, readAccount } from '../../contract/account.ts';
import type { BodyRead } from '../../contract/endpoint.ts';
import { refuse } from '../../contract/failures.ts';
import { writePhone } from '../../contract/fields/phone.ts';
import { knownLanguage } from '../../contract/languages.ts';
import { iso } from '../../contract/units.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import {
  type AccountsTable,
  accountDetails,
  changeAccount as change,
  findAccount,
  type ProfileChanges,
} from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { currentConsents, recordConsent } from '../../store/accounts/consents.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import type * as contract from './account.contract.ts';

const numbersKept = 1000;

/** Caches formatted numbers: formatting one costs as much as all queries of the account, which clients read often. */
function openPhoneWriting(): (phone: string) => string {
  const written = new BoundedMap<string, string>(numbersKept);
  return (phone) => {
    const known = written.get(phone) ?? writePhone(phone);
    written.set(phone, known);
    return known;
  };
}

/** Describes an account for its owner: `describe` from a row already read, `describeChanged` after a change. */
export function openDescriptions({ store, parts }: { store: Store } & WithParts) {
  const written = openPhoneWriting();
  const describe = (account: AccountsTable) => describeAccount(store, { account, written, parts });
  return {
    describe,
    async describeChanged(accountId: string) {
      const account = await findAccount(store, accountId);
      if (!account) throw refuse(readAccount, 'not_signed_in');
      return describe(account);
    },
  };
}

interface Described extends WithParts {
  readonly account: AccountsTable;
  readonly written: (phone: string) => string;
}

async function describeAccount(store: Store, { account, written, parts }: Described) {
  const [{ consents, isUnreachable }, ...news] = await Promise.all([
    accountDetails(store, account.id),
    ...parts.map((part) => part.countNews(store, account.id)),
  ]);
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    email_confirmed: account.email_proven_at !== null,
    email_unreachable: isUnreachable,
    phone: account.phone,
    phone_written: written(account.phone),
    phone_confirmed: account.phone_confirmed_at !== null,
    ...profileIn(account),
    locale: knownLanguage(account.locale),
    time_zone: account.time_zone,
    created_at: iso(account.created_at),
    consents: consents.map(({ kind, given, version, document, locale, at }) => ({
      kind,
      given: given === 1,
      version,
      document,
      locale,
      at: iso(at),
    })),
    mail_new_device: account.mail_new_device === 1,
    unread_notifications: news.reduce((sum, { unread }) => sum + unread, 0),
    open_incidents: news.reduce((sum, { alarms }) => sum + alarms, 0),
    password_changed_at: iso(account.password_changed_at),
  };
}

type AccountChanges = BodyRead<typeof contract.changeAccount>;

interface Changing extends Pick<Owner, 'account' | 'accountId' | 'at'> {
  readonly visitor: Pick<Owner['visitor'], 'ip' | 'userAgent'>;
}

/** Changes the fields that are present and keeps the others. Returns the names of those that had another value. */
export async function changeAccount(
  trx: StoreTransaction,
  { account, accountId, visitor, at }: Changing,
  changes: AccountChanges,
): Promise<readonly string[]> {
  const wanted = ownChanges(changes);
  const changed = (Object.keys(wanted) as (keyof ProfileChanges)[]).filter((name) => wanted[name] !== account[name]);
  if (changed.length > 0) {
    await change(trx, accountId, wanted);
    await recordActivity(trx, { accountId, at, kind: 'account_changed', visitor });
  }
  if (await recordOfferConsent(trx, { account, changes, at }))
    await recordActivity(trx, { accountId, at, kind: 'offers_changed', visitor });
  return changed;
}

/** The contract parses a blank field to a key with the value undefined, which removes it. */
function ownChanges(changes: AccountChanges): ProfileChanges {
  const { name, locale, time_zone: timeZone, mail_new_device: mailNewDevice } = changes;
  return {
    ...(name !== undefined && { name }),
    ...profileChanges(changes),
    ...(locale !== undefined && { locale }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(mailNewDevice !== undefined && { mail_new_device: mailNewDevice ? 1 : 0 }),
  };
}

/** Records consent to offers, or its withdrawal, unless nothing changes. Returns whether it changed. */
async function recordOfferConsent(
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
