import type { I18n } from '@lingui/core';
import type { LanguageCode } from '../../contract/languages.ts';
import { hours } from '../../contract/units.ts';
import type { DeliveryLog, Outcome } from '../../delivery/worker.ts';
import { toSingleLine } from '../../outgoing/send-request.ts';
import type { Store } from '../../store/database.ts';
import { givenUpAfter, type OutboxTable, suppressedReason } from '../../store/emails/outbox.ts';
import { suppressAddress } from '../../store/emails/suppression-list.ts';
import {
  compose,
  type EmailMessage,
  type EmailSender,
  NoSuchAddress,
  redactAddresses,
  SendingBlocked,
  TryLater,
  Unacknowledged,
  Undeliverable,
} from '../compose.ts';
import { inALabels } from '../domains/addresses.ts';
import type { Product } from '../email/email-content.ts';
import type { Sealing } from '../enqueue-email.ts';
import { type CircuitBreaker, pauseAfter } from './circuit-breaker.ts';

/** An email that the server never acknowledges is given up after this many copies. */
const maxCopies = 6;

export interface DeliveryDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly sender: EmailSender;
  readonly secrets: Pick<Sealing, 'open'>;
  readonly log: DeliveryLog;
  readonly product: Product;
  readonly from: EmailMessage['from'];
  readonly returnPathOf: (emailId: string) => string;
  readonly breaker: Pick<CircuitBreaker, 'probe'>;
  readonly catalog: (language: LanguageCode) => Promise<I18n>;
  readonly random: () => number;
  /** Called after each attempt with its outcome. */
  readonly onAttempt?: ((attempt: DeliveryAttempt) => void) | undefined;
}

export interface DeliveryAttempt extends Pick<OutboxTable, 'id' | 'notice'> {
  readonly outcome: EmailOutcome;
  readonly milliseconds: number;
}

/**
 * `refused` waits until someone fixes the cause, `released` until the server is back; `withheld` would have bounced
 * again.
 */
export type EmailOutcome = 'sent' | 'postponed' | 'refused' | 'released' | 'failed' | 'withheld';

/** Tries to deliver a claimed email. */
export async function attemptDelivery(deps: DeliveryDeps, email: OutboxTable): Promise<Outcome<EmailOutcome>> {
  const began = performance.now();
  const outcome = await deliver(deps, email);
  deps.onAttempt?.({
    id: email.id,
    notice: email.notice,
    outcome: outcome.name,
    milliseconds: performance.now() - began,
  });
  return outcome;
}

async function deliver(deps: DeliveryDeps, email: OutboxTable): Promise<Outcome<EmailOutcome>> {
  if (deps.now() - email.created_at >= givenUpAfter) return giveUp(deps, email, tooLate);
  let response: string | undefined;
  try {
    response = await sendMail(deps, email);
  } catch (error) {
    const reason = reasonOf(error);
    if (error instanceof NoSuchAddress) await suppress(deps, email, reason);
    if (error instanceof Undeliverable) return giveUp(deps, email, reason);
    if (error instanceof SendingBlocked) return wait(deps, email, { name: 'refused', steps: 'refused', error: reason });
    if (error instanceof Unacknowledged) return waitForSilence(deps, email, `${unacknowledged} (${reason})`);
    const isOfEmail = error instanceof TryLater || (await deps.breaker.probe());
    if (isOfEmail) return wait(deps, email, { name: 'postponed', steps: 'email', error: reason });
    return { name: 'released', end: 'release', error: reason };
  }
  deps.log.info({ ...about(email), ...(response && { response: safely(response) }) }, 'email sent');
  return { name: 'sent', end: 'done' };
}

async function sendMail(
  { sender, secrets, product, from, returnPathOf, catalog, now }: DeliveryDeps,
  email: OutboxTable,
): Promise<string | undefined> {
  const isSealed = !email.params.startsWith('{');
  const params = isSealed ? secrets.open(email.params).toString() : email.params;
  const text = await compose({ ...email, params }, { product, catalog });
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
function waitForSilence(deps: DeliveryDeps, email: OutboxTable, error: string): Outcome<EmailOutcome> {
  const isLast = email.attempts >= maxCopies && email.last_error?.startsWith(unacknowledged);
  return isLast
    ? giveUp(deps, email, `${error}, ${maxCopies} times; it may have arrived`)
    : wait(deps, email, { name: 'postponed', steps: 'unacknowledged', error });
}

interface Wait {
  readonly name: 'postponed' | 'refused';
  readonly steps: 'email' | 'refused' | 'unacknowledged';
  readonly error: string;
}

function wait(
  { now, random, log }: DeliveryDeps,
  email: OutboxTable,
  { name, steps, error }: Wait,
): Outcome<EmailOutcome> {
  const lastChance = email.created_at + givenUpAfter;
  const dueAt = Math.min(now() + pauseAfter[steps]({ attempts: email.attempts, random: random() }), lastChance);
  const details = { ...about(email), error: redactAddresses(error) };
  if (name === 'refused') log.error(details, 'email refused by the mail server: fix the cause');
  else log.warn(details, 'email not sent, will be retried');
  return { name, end: 'postpone', dueAt, error };
}

function giveUp({ log }: DeliveryDeps, email: OutboxTable, reason: string): Outcome<EmailOutcome> {
  const isNews = email.last_error && !reason.startsWith(email.last_error);
  const error = isNews ? `${reason}. Before: ${email.last_error}` : reason;
  log.error({ ...about(email), error: redactAddresses(error) }, 'email given up');
  return { name: 'failed', end: 'giveUp', error };
}

/** Gives up an email that would bounce, without trying to send it. */
export function withhold({ log }: DeliveryDeps, email: OutboxTable): Outcome<EmailOutcome> {
  log.info(about(email), 'email held back: its address is on the suppression list');
  return { name: 'withheld', end: 'giveUp', error: suppressedReason };
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
