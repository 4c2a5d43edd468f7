import type { LanguageCode } from '../contract/languages.ts';
import { orderedId, type StoreTransaction } from '../store/database.ts';
import { addEmail } from '../store/emails/outbox.ts';
import { countUnprovenNotice } from '../store/emails/suppression-list.ts';
import { type AnyNotice, isUrgent, type SecretParam, unprovenLimitOf } from './notices.ts';

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
