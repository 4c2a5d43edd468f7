import { reauthenticate } from '../../../access/reauthenticate.ts';
import { days, hours } from '../../../contract/durations.ts';
import { refuse, refuseField, tooMuch } from '../../../contract/refuse.ts';
import { isUsableAddress } from '../../../outbox/domains/usable-address.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { findAccountByEmail } from '../../../store/accounts/accounts.ts';
import { addEmailChange } from '../../../store/accounts/email-changes.ts';
import { emailKey } from '../../../store/accounts/email-key.ts';
import { findSuppressed } from '../../../store/emails/suppression-list.ts';
import { limitKey } from '../../../store/rate-limit-keys.ts';
import { countRequestInTransaction, type RateLimit } from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import * as contract from './change-email.contract.ts';
import { linkTo } from './change-email-link.ts';

/** Emails per hour that one account may trigger, for all addresses together. */
const mostMails = 5;
/** Links to one address, from all accounts together: it may belong to a stranger. */
const mostToAddress = { hour: 3, day: 5 };

interface AddressRequest {
  readonly accountId: string;
  readonly sessionId: string;
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly authTime: number;
  readonly password?: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Emails a link to the new address. Refuses with `too_many_mails`, `account_exists`, `email_cannot_be_used`, or
 * `email_unchanged` at the field.
 */
export async function requestEmailChange(service: Service, request: AddressRequest): Promise<void> {
  const endpoint = contract.requestEmailChange;
  const { accountId, authTime, email, password, visitor: from } = request;
  // The mail server of the address may take seconds to respond: query it before this request takes a slot of the hash gate.
  const isUsable = await isUsableAddress(service, email);
  const nextAt = await reauthenticate(service, { endpoint, accountId, authTime, password, from }, async () => {
    if (!isUsable) throw refuse(endpoint, 'email_cannot_be_used');
    return sendLink(service, request);
  });
  if (nextAt > 0) throw tooMuch(endpoint, 'too_many_mails', nextAt - service.now());
}

interface Outcome {
  readonly nextAt: number;
  readonly refusal?: 'account_exists' | 'email_unchanged';
}

/** Returns the time (ms since the epoch) at which more may be sent, or 0. */
async function sendLink(service: Service, { accountId, sessionId, email }: AddressRequest): Promise<number> {
  const endpoint = contract.requestEmailChange;
  const now = service.now();
  const asked = await service.store.transaction().execute(async (trx): Promise<Outcome> => {
    const account = await lockSignedInAccount(trx, { endpoint, accountId, sessionId, now });
    const limit = { key: limitKey('email-change', account.id), limit: mostMails, within: hours(1) };
    const counted = await countRequestInTransaction(trx, [limit], now);
    if (counted.state === 'refused') return { nextAt: counted.freeAt };
    const taken = await findAccountByEmail(trx, email);
    const isTheirs = taken?.id === account.id;
    // Refused only after the commit, so that the request counts: the refusal reveals who has an account.
    if (taken && !isTheirs) return { nextAt: 0, refusal: 'account_exists' };
    // Their own address after a bounce: opening the link proves that emails arrive again.
    if (isTheirs && !(await findSuppressed(trx, email))) return { nextAt: 0, refusal: 'email_unchanged' };
    const toAddress = await countRequestInTransaction(trx, limitsOfAddress(email), now);
    if (toAddress.state === 'refused') return { nextAt: toAddress.freeAt };
    const secret = randomSecret(256);
    const change = { email, account_id: account.id, created_at: now, requested_in: sessionId };
    await addEmailChange(trx, { token_hash: sha256(secret), ...change });
    const link = linkTo(service, account, { email, hash: secret });
    await enqueueEmail(trx, { notice: 'email_change', params: { link }, account: { ...account, email }, at: now });
    return { nextAt: 0 };
  });
  if (asked.refusal === 'account_exists') throw refuse(endpoint, asked.refusal);
  if (asked.refusal) throw refuseField(endpoint, { field: 'email', code: asked.refusal });
  service.outbox.wake();
  return asked.nextAt;
}

function limitsOfAddress(email: string): RateLimit[] {
  const key = limitKey('email-change-to', sha256(emailKey(email)));
  return [
    { key, limit: mostToAddress.hour, within: hours(1) },
    { key, limit: mostToAddress.day, within: days(1), onlyChecked: true },
  ];
}
