import type { I18n } from '@lingui/core';
import { hours } from '../../contract/durations.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import type { Store } from '../../store/database.ts';
import { givenUpAfter } from '../../store/emails/delivery-limit.ts';
import {
  giveUpEmail,
  markSent,
  type OutboxTable,
  postponeEmail,
  releaseEmail,
  suppressedReason,
} from '../../store/emails/outbox.ts';
import { suppressAddress } from '../../store/emails/suppression-list.ts';
import { compose } from '../compose.ts';
import { inALabels } from '../domains/mailbox.ts';
import type { Product } from '../email/email-content.ts';
import {
  type EmailMessage,
  type EmailSender,
  NoSuchAddress,
  SendingBlocked,
  TryLater,
  Unacknowledged,
  Undeliverable,
} from '../email-message.ts';
import { redactAddresses } from '../redact-addresses.ts';
import { toSingleLine } from '../single-line.ts';
import { mostCopies, pauseAfter } from './back-off.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

export interface OutboxLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface DeliveryDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly sender: EmailSender;
  readonly log: OutboxLog;
  readonly product: Product;
  readonly from: EmailMessage['from'];
  /** The return path of an email, by its id. */
  readonly returnPathOf: (emailId: string) => string;
  readonly breaker: Pick<CircuitBreaker, 'probe'>;
  readonly catalog: (language: LanguageCode) => Promise<I18n>;
  readonly random: () => number;
  /** Called after each attempt with its outcome. */
  readonly onAttempt?: ((emailId: DeliveryAttempt) => void) | undefined;
}

export interface DeliveryAttempt extends Pick<OutboxTable, 'id' | 'notice'> {
  readonly outcome: DeliveryOutcome;
  readonly milliseconds: number;
}

/**
 * `refused` waits until someone fixes the cause, `released` until the server is back; `heldBack` would have bounced
 * again.
 */
export type DeliveryOutcome = 'sent' | 'postponed' | 'refused' | 'released' | 'failed' | 'heldBack';

/** Tries to deliver a claimed email, and records the outcome. */
export async function attemptDelivery(deps: DeliveryDeps, email: OutboxTable): Promise<DeliveryOutcome> {
  const began = performance.now();
  const outcome = await deliver(deps, email);
  deps.onAttempt?.({ id: email.id, notice: email.notice, outcome, milliseconds: performance.now() - began });
  return outcome;
}

async function deliver(deps: DeliveryDeps, email: OutboxTable): Promise<DeliveryOutcome> {
  if (deps.now() - email.created_at >= givenUpAfter) return giveUp(deps, email, tooLate);
  let response: string | undefined;
  try {
    response = await sendMail(deps, email);
  } catch (error) {
    if (error instanceof NoSuchAddress) await suppress(deps, email, reasonOf(error));
    if (error instanceof Undeliverable) return giveUp(deps, email, reasonOf(error));
    if (error instanceof SendingBlocked)
      return wait(deps, email, { outcome: 'refused', steps: 'refused', error: reasonOf(error) });
    if (error instanceof Unacknowledged) return waitForSilence(deps, email, `${unacknowledged} (${reasonOf(error)})`);
    const isOfEmail = error instanceof TryLater || (await deps.breaker.probe());
    if (isOfEmail) return wait(deps, email, { outcome: 'postponed', steps: 'email', error: reasonOf(error) });
    const { id, leased_until: leasedUntil } = email;
    await releaseEmail(deps.store, { id, leasedUntil, error: reasonOf(error) });
    return 'released';
  }
  await markSent(deps.store, { id: email.id, at: deps.now() });
  deps.log.info({ ...about(email), ...(response && { response: safely(response) }) }, 'email sent');
  return 'sent';
}

async function sendMail(
  { sender, product, from, returnPathOf, catalog, now }: DeliveryDeps,
  email: OutboxTable,
): Promise<string | undefined> {
  const text = await compose(email, { product, catalog });
  return sender.send({
    ...text,
    id: email.id,
    // From the row's id, so that an email that is sent twice, because its acknowledgment was lost, counts as one.
    messageId: `<${inALabels(`${email.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`)}>`,
    from,
    to: email.recipient,
    returnPath: returnPathOf(email.id),
    replyTo: product.supportEmail,
    date: new Date(now()),
  });
}

const unacknowledged = 'The mail server had the whole mail and did not acknowledge it';

/**
 * Retries slowly, then gives up: the server may have stored each copy. Earlier attempts that failed for another reason
 * are not copies.
 */
function waitForSilence(deps: DeliveryDeps, email: OutboxTable, error: string): Promise<DeliveryOutcome> {
  const isLast = email.attempts >= mostCopies && email.last_error?.startsWith(unacknowledged);
  return isLast
    ? giveUp(deps, email, `${error}, ${mostCopies} times; it may have arrived`)
    : wait(deps, email, { outcome: 'postponed', steps: 'unacknowledged', error });
}

interface Wait {
  readonly outcome: 'postponed' | 'refused';
  readonly steps: 'email' | 'refused' | 'unacknowledged';
  readonly error: string;
}

async function wait(
  { store, now, random, log }: DeliveryDeps,
  email: OutboxTable,
  { outcome, steps, error }: Wait,
): Promise<DeliveryOutcome> {
  const lastChance = email.created_at + givenUpAfter;
  const dueAt = Math.min(now() + pauseAfter(steps, { attempts: email.attempts, random: random() }), lastChance);
  await postponeEmail(store, { id: email.id, leasedUntil: email.leased_until, dueAt, error });
  const details = { ...about(email), error: redactAddresses(error) };
  if (outcome === 'refused') log.error(details, 'email refused by the mail server: fix the cause');
  else log.warn(details, 'email not sent, will be retried');
  return outcome;
}

async function giveUp({ store, now, log }: DeliveryDeps, email: OutboxTable, reason: string): Promise<DeliveryOutcome> {
  const isNews = email.last_error && !reason.startsWith(email.last_error);
  const error = isNews ? `${reason}. Before: ${email.last_error}` : reason;
  await giveUpEmail(store, { id: email.id, leasedUntil: email.leased_until, at: now(), error });
  log.error({ ...about(email), error: redactAddresses(error) }, 'email given up');
  return 'failed';
}

/** Gives up an email that would bounce, without trying to send it. */
export async function holdBack({ store, now, log }: DeliveryDeps, email: OutboxTable): Promise<DeliveryOutcome> {
  await giveUpEmail(store, { id: email.id, leasedUntil: email.leased_until, at: now(), error: suppressedReason });
  log.info(about(email), 'email held back: its address is on the suppression list');
  return 'heldBack';
}

const suppress = ({ store, now }: DeliveryDeps, { recipient }: OutboxTable, reason: string) =>
  suppressAddress(store, {
    email: recipient,
    reason: 'no_such_address',
    told_by: 'smtp',
    detail: redactAddresses(reason),
    at: now(),
  });

export const tooLate = `Not delivered within ${givenUpAfter / hours(1)} hours`;

const about = (email: OutboxTable) => ({
  outbox: email.id,
  notice: email.notice,
  attempt: email.attempts,
  ...(email.account_id && { account: email.account_id }),
});

/** In another server's text, a log needs neither addresses nor line breaks. */
const safely = (response: string): string => redactAddresses(toSingleLine(response));

const reasonOf = (error: unknown): string => toSingleLine(error instanceof Error ? error.message : String(error));
