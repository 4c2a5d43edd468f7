import type { WithParts } from '../../access/account-part.ts';
import { profileChanges, profileIn, readAccount } from '../../contract/account.ts';
import type { BodyRead } from '../../contract/endpoint.ts';
import { refuse, refuseField } from '../../contract/failures.ts';
import { readPhoneIn, writePhone } from '../../contract/fields/phone.ts';
import { knownLanguage } from '../../contract/languages.ts';
import { iso } from '../../contract/units.ts';
import { enqueueCapped } from '../../outbox/enqueue-email.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import { readConfirmation } from '../../security/macs.ts';
import type { Service } from '../../server/service.ts';
import type { Owner } from '../../store/access/session-owner.ts';
import {
  type AccountsTable,
  accountDetails,
  changeAccount as change,
  findAccount,
  type ProfileChanges,
  setPhone,
} from '../../store/accounts/accounts.ts';
import { recordActivity } from '../../store/accounts/activity-log.ts';
import { currentConsents, recordConsent } from '../../store/accounts/consents.ts';
import { findCall, type PhoneCallsTable, useConfirmation } from '../../store/calls/phone-calls.ts';
import type { Store, StoreTransaction } from '../../store/database.ts';
import * as contract from './account.contract.ts';

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

interface PhoneChange {
  readonly typed: string;
  readonly confirmation: string | null | undefined;
}

/**
 * Sets another phone number, confirmed as at registration, and notifies the owner by email. A client may repeat a change
 * whose response was lost.
 */
export async function changePhone(
  service: Service,
  trx: StoreTransaction,
  { account, accountId, visitor, at, typed, confirmation }: Owner & PhoneChange,
): Promise<void> {
  const call = readCall(service, confirmation);
  const phone = readPhoneIn(typed, account.locale);
  if (!phone) throw refuseField(contract.changePhone, { field: 'phone', code: 'phone_invalid' });
  const used = call === undefined ? undefined : await useConfirmation(trx, { id: call, phone, now: at });
  if (call !== undefined && !used) {
    if (await hasChanged(trx, { account, phone, call })) return;
    throw unconfirmed();
  }
  await setPhone(trx, { accountId, phone, confirmedAt: used ? confirmedAtOf(used) : null });
  await recordActivity(trx, { accountId, at, kind: 'phone_changed', visitor });
  if (phone === account.phone) return;
  await enqueueCapped(trx, { notice: 'phone_changed', params: { when: at, digits: phone.slice(-2) }, account, at });
}

/** When the call confirmed the number. A confirmation by email does not confirm it. */
const confirmedAtOf = ({ way, confirmed_at }: PhoneCallsTable): number | null => (way === 'mail' ? null : confirmed_at);

interface MadeChange {
  readonly account: AccountsTable;
  readonly phone: string;
  /** The id of the confirmed call. */
  readonly call: string;
}

/** Whether the account already has the number as this call confirmed it: the first response was lost. */
async function hasChanged(trx: StoreTransaction, { account, phone, call: id }: MadeChange): Promise<boolean> {
  const call = await findCall(trx, id);
  if (!call || call.used_at === null || call.phone !== phone) return false;
  return account.phone === phone && account.phone_confirmed_at === confirmedAtOf(call);
}

/** The id of the confirmed call. Refuses a confirmation that is required but missing, or that we did not issue. */
function readCall({ keyring, config }: Service, confirmation: string | null | undefined): string | undefined {
  if (config.PHONE_CONFIRMATION === 'off') return undefined;
  if (!confirmation && config.PHONE_CONFIRMATION === 'optional') return undefined;
  const call = readConfirmation(keyring.phoneConfirmations, confirmation ?? '');
  if (call === undefined) throw unconfirmed();
  return call;
}

const unconfirmed = () =>
  refuseField(contract.changePhone, { field: 'phone_confirmation', code: 'phone_not_confirmed' });
