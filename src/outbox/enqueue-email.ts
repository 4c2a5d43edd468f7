import type { LanguageCode } from '../contract/languages.ts';
import { days, hours } from '../contract/units.ts';
import { orderedId, type StoreTransaction } from '../store/database.ts';
import { addEmail, emailTimes, findOpenBatch, rewriteEmail } from '../store/emails/outbox.ts';
import { countUnprovenNotice } from '../store/emails/suppression-list.ts';
import { type AnyNotice, isUrgent, type NoticeWith, type SecretParam, unprovenLimitOf } from './notices.ts';

/** What the outbox needs to know about a recipient. */
export interface Recipient {
  /** The account's id; undefined for an address without an account. */
  readonly id?: string | undefined;
  readonly email: string;
  /** Null if the account has not proven the address, which may then be a stranger's. */
  readonly email_proven_at?: number | null | undefined;
  /** Without a name, the greeting uses the address. */
  readonly name?: string | undefined;
  readonly locale: LanguageCode;
  /** Time zone for times in the email, besides UTC. */
  readonly time_zone?: string | null | undefined;
}

/** Seals text for the database with the operator's secret. */
export interface Sealing {
  seal(secret: Buffer): string;
  open(sealed: string): Buffer;
}

/** A notice with a link or a code works only for its reader, so that its parameters wait sealed. */
type Sealed<Notice extends AnyNotice> = Notice extends { readonly params: infer Params }
  ? Notice &
      (Extract<keyof Params, SecretParam> extends never ? { readonly secrets?: never } : { readonly secrets: Sealing })
  : never;

/** A notice, its recipient, and when it was written (ms since the epoch). */
export type NewNotice = Sealed<AnyNotice> & {
  readonly account: Recipient;
  readonly at: number;
  /** When it may leave (ms since the epoch); until then, further events of its kind can join it. */
  readonly due?: number;
  /** UUID version 7; a new one unless given. */
  readonly id?: string;
};

/**
 * Writes a notice to the outbox: it leaves if, and only if, the transaction commits. Returns the email's id. Call the
 * outbox's `wake()` after the commit; otherwise the email leaves within a second. Drops a notice to an unproven address
 * that got too many today.
 */
export async function enqueueEmail(
  trx: StoreTransaction,
  { account, at, due, notice, params, secrets, id = orderedId() }: NewNotice,
): Promise<string> {
  const { email, email_proven_at: provenAt } = account;
  const limit = provenAt === null ? unprovenLimitOf(notice) : undefined;
  if (limit && !(await countUnprovenNotice(trx, { email, limit, at }))) return id;
  const written = JSON.stringify({ ...params, name: account.name, zone: account.time_zone ?? undefined });
  await addEmail(trx, {
    id,
    account_id: account.id ?? null,
    channel: 'mail',
    notice,
    urgent: isUrgent(notice) ? 1 : 0,
    locale: account.locale,
    recipient: email,
    params: secrets?.seal(Buffer.from(written)) ?? written,
    created_at: due ?? at,
  });
  return id;
}

/** Emails of a frequent kind: at most one in this time (ms), and so many a day; events in between are batched. */
const usualPace = { every: hours(1), aDay: 5 };
/** Single emails of a kind a day to an owner who has proven the address: each may be the one that shows a theft. */
const provenADay = 50;
/** Items that an email lists; it only counts any further ones. */
const listedOneByOne = 10;

/** The first item, the ones batched with it, and the number of further ones that are only counted. */
type BatchedItem<Item> = Item & { readonly others?: readonly Item[]; readonly more?: number };

interface BatchableNotice {
  readonly notice: NoticeWith<'gathered'>;
  readonly account: Recipient & { readonly id: string };
  readonly at: number;
  readonly item: object;
}

/** Enqueues a notice of a frequent event: at most one email an hour and five a day, which cover all events. */
export async function enqueueBatched(
  trx: StoreTransaction,
  { notice, account, at, item }: BatchableNotice,
): Promise<void> {
  const kind = { accountId: account.id, notice, now: at };
  const openBatch = await findOpenBatch(trx, { ...kind, recipient: account.email });
  if (openBatch) {
    const batch = withAnother(JSON.parse(openBatch.params), item);
    if (await rewriteEmail(trx, { id: openBatch.id, params: JSON.stringify(batch) })) return;
  }
  const times = await emailTimes(trx, { ...kind, max: usualPace.aDay });
  const due = Math.max(at, (times[0] ?? 0) + usualPace.every, (times[usualPace.aDay - 1] ?? 0) + days(1));
  await enqueueEmail(trx, { notice, params: item, account, at, due } as NewNotice);
}

/**
 * Enqueues an informational notice, at most fifty of its kind a day, and five until the owner has proven the address: an
 * account with a stranger's address must not flood that mailbox. The activity log contains the rest.
 */
export async function enqueueCapped(
  trx: StoreTransaction,
  email: NewNotice & { readonly account: { readonly id: string } },
): Promise<void> {
  const { account, notice, at } = email;
  const aDay = account.email_proven_at === null ? usualPace.aDay : provenADay;
  const times = await emailTimes(trx, { accountId: account.id, notice, now: at, max: aDay });
  if ((times[aDay - 1] ?? 0) <= at - days(1)) await enqueueEmail(trx, email);
}

function withAnother({ others = [], more = 0, ...first }: BatchedItem<object>, item: object): BatchedItem<object> {
  return others.length + 1 < listedOneByOne
    ? { ...first, others: [...others, item], more }
    : { ...first, others, more: more + 1 };
}
