import { randomUUID } from 'node:crypto';
import type { WithParts } from '../access/account-part.ts';
import type { Profile } from '../contract/account.ts';
import { Failure } from '../contract/failures.ts';
import type { LanguageCode } from '../contract/languages.ts';
import type { OperatorAction } from '../contract/operators.ts';
import { days, minutes } from '../contract/units.ts';
import { changeAccount } from '../journeys/account/account.ts';
import { postChangeLink, postConfirmation } from '../journeys/account/contacts/change-email.ts';
import { beginDeletion } from '../journeys/account/leaving/delete-account.ts';
import { isInvited, postLink } from '../journeys/recover-password/recover-password.ts';
import { isUsableAddress } from '../outbox/domains/addresses.ts';
import { noHash } from '../security/imported-hashes.ts';
import { sha256 } from '../security/macs.ts';
import {
  type AccountsTable,
  addAccount,
  emailKey,
  findAccount,
  lockAccountRow,
  lockAndFindAccount,
} from '../store/accounts/accounts.ts';
import { lastActivity, recordActivity } from '../store/accounts/activity-log.ts';
import type { StoreTransaction } from '../store/database.ts';
import { pageOfEmails } from '../store/emails/outbox-review.ts';
import { hasRecentEntry } from '../store/operators/audit-log.ts';
import { addNote } from '../store/operators/notes.ts';
import { isLastOwner } from '../store/operators/operators.ts';
import { countRequestInTransaction, limitKey } from '../store/rate-limits.ts';
import { requeue } from './deliveries.ts';
import { audit, auditAlone, masked, type Operation, operatorVisit } from './operation.ts';

interface WithConfig {
  readonly config: Parameters<typeof beginDeletion>[0]['config'] & Parameters<typeof postLink>[0]['config'];
  readonly secrets: Parameters<typeof postLink>[0]['secrets'];
}

interface NewPerson extends Profile, WithConfig {
  readonly email: string;
  readonly name: string;
  /** E.164; empty if unknown. */
  readonly phone: string;
  readonly locale: LanguageCode;
  /** Whether to email a link to set a password. */
  readonly invite: boolean;
}

/** How many emails with a link operators may send a day: to one person or new address, and by one operator or key. */
const maxLinks = { person: 5, operator: 1000 };

/** Apart from those of people: neither an operator nor the owner of an account uses up what the other needs. */
const limitsOfLinks = (actor: string, to: string) => ({
  person: { key: to, limit: maxLinks.person, within: days(1) },
  operator: { key: limitKey('operators-links-by', actor), limit: maxLinks.operator, within: days(1) },
});

const countLink = (
  trx: StoreTransaction,
  { operator, now }: Omit<Operation, 'store'>,
  { id }: Pick<AccountsTable, 'id'>,
) =>
  countRequestInTransaction(trx, Object.values(limitsOfLinks(operator.actor, limitKey('operators-links-to', id))), now);

/** Posts the link. Throws `too_many_mails`: a leaked key must not flood people. */
async function postCountedLink(
  trx: StoreTransaction,
  operation: Omit<Operation, 'store'>,
  { account, config, secrets }: WithConfig & { readonly account: AccountsTable },
): Promise<void> {
  const { now } = operation;
  const counted = await countLink(trx, operation, account);
  if (counted.state === 'refused') {
    const wait = counted.freeAt - now;
    throw new Failure('too_many_mails', { minutes: Math.ceil(wait / minutes(1)), retryAfter: Math.ceil(wait / 1000) });
  }
  await postLink({ config, secrets, now: () => now }, trx, { account, visitor: operatorVisit });
}

/** Creates an account without a password. Returns its id; undefined if the address has one. */
export const createPerson = (
  { store, ...operation }: Operation,
  { config, secrets, invite, email, ...person }: NewPerson,
): Promise<string | undefined> =>
  store.transaction().execute(async (trx) => {
    const at = operation.now;
    const account = await addAccount(trx, {
      ...person,
      id: randomUUID(),
      email,
      email_proven_at: null,
      phone_confirmed_at: null,
      promo_code: null,
      db_type: null,
      time_zone: null,
      last_place: null,
      password_hash: noHash,
      password_changed_at: at,
      created_at: at,
      registration_attempt: null,
      delete_at: null,
      locked_at: null,
      second_step_at: null,
    });
    if (!account) return undefined;
    await recordActivity(trx, { accountId: account.id, at, kind: 'registered', visitor: operatorVisit });
    if (invite) await postCountedLink(trx, operation, { account, config, secrets });
    await audit(trx, operation, { action: 'account_created', accountId: account.id, subject: masked(email) });
    return account.id;
  });

type ProfileChanges = Omit<Parameters<typeof changeAccount>[2], 'consent_offers' | 'mail_new_device'>;

/** Changes the details that are present; false if the account is gone. */
export const changeProfile = (
  { store, ...operation }: Operation,
  { id, changes }: { readonly id: string; readonly changes: ProfileChanges },
): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const at = operation.now;
    const account = await lockAndFindAccount(trx, id);
    if (!account) return false;
    const changed = await changeAccount(trx, { account, accountId: id, visitor: operatorVisit, at }, changes);
    if (changed.length === 0) return true;
    const subject = `${masked(account.email)}: ${changed.join(', ')}`;
    await audit(trx, operation, { action: 'account_changed', accountId: id, subject });
    return true;
  });

/** Emails a link to set a password; false if the account is gone. */
export const sendReset = (
  { store, ...operation }: Operation,
  { id, config, secrets }: WithConfig & { readonly id: string },
): Promise<boolean> =>
  store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, id);
    if (!account) return false;
    await postCountedLink(trx, operation, { account, config, secrets });
    await audit(trx, operation, { action: 'reset_sent', accountId: id, subject: masked(account.email) });
    return true;
  });

type ChangeOutcome = Awaited<ReturnType<typeof postChangeLink>>;

/**
 * Emails the link that changes the address to the new one, whose reader confirms it; the former one then gets a link that
 * undoes this. Undefined if the account is gone.
 */
export const requestAddressChange = (
  { store, ...operation }: Operation,
  { id, email, service }: { readonly id: string; readonly email: string; readonly service: MailService },
): Promise<ChangeOutcome | undefined> =>
  store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, id);
    if (!account) return undefined;
    const newAddress = limitKey('operators-change-to', sha256(emailKey(email)));
    const { person, operator } = limitsOfLinks(operation.operator.actor, newAddress);
    const limits = { requests: operator, emails: [person] };
    const outcome = await postChangeLink(service, trx, { account, email, sessionId: null, now: operation.now, limits });
    if (outcome.nextAt === 0 && !outcome.refusal)
      await audit(trx, operation, {
        action: 'email_change_requested',
        accountId: id,
        subject: `${masked(account.email)} → ${masked(email)}`,
      });
    return outcome;
  });

type MailService = Parameters<typeof postConfirmation>[0];

const maxResent = 100;

interface Resent {
  readonly retried: readonly string[];
  readonly invitation: boolean;
  readonly confirmation: boolean;
}

/**
 * Sends the emails of an account again that wait or were given up. If nobody has proven its address, also another
 * invitation, unless one is among them, or an email that proves the address. Undefined if the account is gone.
 */
export const resendEmails = (
  { store, ...operation }: Operation,
  { id, service }: { readonly id: string; readonly service: MailService },
): Promise<Resent | undefined> =>
  store.transaction().execute(async (trx) => {
    const at = operation.now;
    const account = await lockAndFindAccount(trx, id);
    if (!account) return undefined;
    const emails = await pageOfEmails(trx, { accountId: id, after: undefined, limit: maxResent });
    const ids = emails.filter(({ sent_at }) => sent_at === null).map((email) => email.id);
    const retried = ids.length === 0 ? [] : await requeue(trx, { ids, at });
    const leaves = (email: (typeof emails)[number]) => email.gave_up_at === null || retried.includes(email.id);
    const isOnItsWay = emails.some((one) => one.notice === 'invitation' && one.sent_at === null && leaves(one));
    const invitation = isInvited(account) && !isOnItsWay;
    if (invitation) await postCountedLink(trx, operation, { account, ...service });
    const isUnproven = account.email_proven_at === null && !isInvited(account);
    const confirmation = isUnproven && (await countLink(trx, operation, account)).state !== 'refused';
    if (confirmation) await postConfirmation(service, trx, { account, at });
    if (retried.length > 0 || invitation || confirmation)
      await audit(trx, operation, { action: 'emails_resent', accountId: id, subject: masked(account.email) });
    return { retried, invitation, confirmation };
  });

/** Keeps a note about a person for colleagues. Returns its id; undefined if the account is gone. */
export const writeNote = (
  { store, ...operation }: Operation,
  { id, text }: { readonly id: string; readonly text: string },
): Promise<string | undefined> =>
  store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, id);
    if (!account) return undefined;
    const { kind: actor_kind, actor } = operation.operator;
    const note = await addNote(trx, { account_id: id, at: operation.now, actor_kind, actor, text });
    await audit(trx, operation, { action: 'note_added', accountId: id, subject: masked(account.email) });
    return note;
  });

/** Ends all access and plans the deletion. Returns when (ms since the epoch); undefined if the account is gone. */
export const planDeletion = (
  { store, parts, ...operation }: Operation & WithParts,
  { id, config }: { readonly id: string; readonly config: Parameters<typeof beginDeletion>[0]['config'] },
): Promise<number | 'last owner' | undefined> =>
  store.transaction().execute(async (trx) => {
    const account = await lockAndFindAccount(trx, id);
    if (!account) return undefined;
    // Without days of grace, a second request deletes what a first one planned when there were some.
    if (account.delete_at !== null && config.DELETION_GRACE_DAYS > 0) return account.delete_at;
    if (await isLastOwner(trx, id)) return 'last owner';
    await audit(trx, operation, { action: 'deletion_planned', accountId: id, subject: masked(account.email) });
    return beginDeletion({ config, parts }, trx, { account, visitor: operatorVisit, at: operation.now });
  });

/** The account with this id, for an operation. */
export const findPerson = ({ store }: Pick<Operation, 'store'>, id: string): Promise<AccountsTable | undefined> =>
  findAccount(store, id);

/** Whether emails can reach an address, and it may have an account. */
export const mayHaveAccount = isUsableAddress;

const shownToOwnerEvery = days(1);
/** A page reads the account, its timeline and its devices, and each of them again after an act: one view. */
const sameViewFor = minutes(5);

interface View {
  readonly account: AccountsTable;
  readonly action: Extract<OperatorAction, 'account_viewed' | 'devices_viewed' | 'contact_revealed'>;
}

/** Records that an operator sees an account, its devices, or a viewer its whole address; once a day also for its owner. */
export const recordView = (
  { store, ...operation }: Operation,
  { account: { id, email }, action }: View,
): Promise<void> =>
  store.transaction().execute(async (trx) => {
    // Parallel views wait for each other, so that each is recorded once.
    await lockAccountRow(trx, id);
    const { actor, origin, reason = null } = operation.operator;
    const view = { account_id: id, action, actor, origin, reason };
    const recently = { now: operation.now, within: sameViewFor };
    if (action !== 'contact_revealed' && (await hasRecentEntry(trx, view, recently))) return;
    const today = { now: operation.now, within: shownToOwnerEvery };
    if ((await lastActivity(trx, { accountId: id, kinds: ['viewed'], ...today })) === undefined)
      await recordActivity(trx, { accountId: id, at: operation.now, kind: 'viewed', visitor: operatorVisit });
    await audit(trx, operation, { action, accountId: id, subject: masked(email) });
  });

/** Records a search, with its only result, or how many it had: the words may be someone's name. */
export const recordSearch = (operation: Operation, found: readonly { readonly id: string }[]): Promise<void> => {
  const [only, ...more] = found;
  const accountId = only && more.length === 0 ? { accountId: only.id } : {};
  return auditAlone(operation, { action: 'accounts_found', ...accountId, subject: `${found.length} accounts` });
};
