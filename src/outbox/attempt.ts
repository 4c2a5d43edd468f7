import type { I18n } from '@lingui/core';
import type { LanguageCode } from '../contract/languages.ts';
import type { Store } from '../store/database.ts';
import { giveUpLetter, markSent, type OutboxTable, postponeLetter } from '../store/outbox.ts';
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

/** Tries to deliver one claimed letter, and writes down what came of it. */
export async function attempt(deps: AttemptDeps, letter: OutboxTable): Promise<Outcome> {
  if (deps.now() - letter.created_at >= givenUpAfter) return giveUp(deps, letter, 'Not delivered within a day');
  try {
    await sendMail(deps, letter);
  } catch (error) {
    if (error instanceof Undeliverable) return giveUp(deps, letter, reasonOf(error));
    return postpone(deps, letter, reasonOf(error));
  }
  await markSent(deps.store, { id: letter.id, at: deps.now() });
  deps.log.info(about(letter), 'mail sent');
  return 'sent';
}

async function sendMail({ sender, product, from, catalog, now }: AttemptDeps, letter: OutboxTable): Promise<void> {
  const text = await compose(letter, { product, catalog });
  await sender.send({
    ...text,
    id: letter.id,
    // By the row's id, so that a mail sent twice, because its acknowledgement was lost, is recognised as one.
    messageId: `<${letter.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    from,
    to: letter.recipient,
    replyTo: product.supportEmail,
    date: new Date(now()),
  });
}

async function postpone(
  { store, now, random, log }: AttemptDeps,
  letter: OutboxTable,
  error: string,
): Promise<Outcome> {
  const lastChance = letter.created_at + givenUpAfter;
  const dueAt = Math.min(now() + pauseAfter(letter.attempts, random()), lastChance);
  await postponeLetter(store, { id: letter.id, leasedUntil: letter.leased_until, dueAt, error });
  log.warn({ ...about(letter), error: withoutAddresses(error) }, 'mail not sent, to be tried again');
  return 'postponed';
}

async function giveUp({ store, now, log }: AttemptDeps, letter: OutboxTable, reason: string): Promise<Outcome> {
  const error = letter.last_error && reason !== letter.last_error ? `${reason}. Before: ${letter.last_error}` : reason;
  await giveUpLetter(store, { id: letter.id, leasedUntil: letter.leased_until, at: now(), error });
  log.error({ ...about(letter), error: withoutAddresses(error) }, 'mail given up');
  return 'failed';
}

const about = (letter: OutboxTable) => ({ outbox: letter.id, notice: letter.notice, attempt: letter.attempts });

const longestReason = 500;

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, longestReason);

/** Mail servers repeat the address in their answers; a log holds no full e-mail address. */
const withoutAddresses = (text: string): string => text.replace(/[^\s<>"'()@]+@[^\s<>"'()@]+/g, '…');
