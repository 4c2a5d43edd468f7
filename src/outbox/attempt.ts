import type { I18n } from '@lingui/core';
import type { LanguageCode } from '../contract/languages.ts';
import type { Store } from '../store/database.ts';
import { giveUpMessage, markSent, type OutboxTable, postponeMessage } from '../store/outbox.ts';
import { givenUpAfter, pauseAfter } from './backoff.ts';
import { compose } from './compose.ts';
import type { Product } from './letter/letter.ts';
import { type Mail, type MailSender, Undeliverable } from './mail.ts';

export interface OutboxLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface AttemptDeps {
  readonly store: Store;
  readonly now: () => number;
  readonly sender: MailSender;
  readonly log: OutboxLog;
  readonly product: Product;
  readonly from: Mail['from'];
  readonly catalog: (language: LanguageCode) => Promise<I18n>;
  readonly random: () => number;
}

export type Outcome = 'sent' | 'postponed' | 'failed';

/** Tries to deliver one claimed message, and writes down what came of it. */
export async function attempt(deps: AttemptDeps, message: OutboxTable): Promise<Outcome> {
  if (deps.now() - message.created_at >= givenUpAfter) return giveUp(deps, message, 'Not delivered within a day');
  try {
    await sendMail(deps, message);
  } catch (error) {
    if (error instanceof Undeliverable) return giveUp(deps, message, reasonOf(error));
    return postpone(deps, message, reasonOf(error));
  }
  await markSent(deps.store, { id: message.id, at: deps.now() });
  deps.log.info(about(message), 'mail sent');
  return 'sent';
}

async function sendMail({ sender, product, from, catalog, now }: AttemptDeps, message: OutboxTable): Promise<void> {
  const text = await compose(message, { product, catalog });
  await sender.send({
    ...text,
    id: message.id,
    // By the row's id, so that a mail sent twice, because its acknowledgement was lost, is recognised as one.
    messageId: `<${message.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    from,
    to: message.recipient,
    replyTo: product.supportEmail,
    date: new Date(now()),
  });
}

async function postpone(
  { store, now, random, log }: AttemptDeps,
  message: OutboxTable,
  error: string,
): Promise<Outcome> {
  const lastChance = message.created_at + givenUpAfter;
  const dueAt = Math.min(now() + pauseAfter(message.attempts, random()), lastChance);
  await postponeMessage(store, { id: message.id, leasedUntil: message.leased_until, dueAt, error });
  log.warn({ ...about(message), error: withoutAddresses(error) }, 'mail not sent, to be tried again');
  return 'postponed';
}

async function giveUp({ store, now, log }: AttemptDeps, message: OutboxTable, reason: string): Promise<Outcome> {
  const error =
    message.last_error && reason !== message.last_error ? `${reason}. Before: ${message.last_error}` : reason;
  await giveUpMessage(store, { id: message.id, leasedUntil: message.leased_until, at: now(), error });
  log.error({ ...about(message), error: withoutAddresses(error) }, 'mail given up');
  return 'failed';
}

const about = (message: OutboxTable) => ({ outbox: message.id, notice: message.notice, attempt: message.attempts });

const longestReason = 500;

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, longestReason);

/** Mail servers repeat the address in their answers; a log holds no full e-mail address. */
const withoutAddresses = (text: string): string => text.replace(/[^\s<>"'()@]+@[^\s<>"'()@]+/g, '…');
