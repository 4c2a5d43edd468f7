import type { I18n } from '@lingui/core';
import type { LanguageCode } from '../../contract/languages.ts';
import type { Store } from '../../store/database.ts';
import {
  giveUpLetter,
  heldBack,
  markSent,
  type OutboxTable,
  postponeLetter,
  releaseLetter,
} from '../../store/letters/outbox.ts';
import { suppressAddress } from '../../store/letters/unreachable-addresses.ts';
import { compose } from '../compose.ts';
import { inALabels } from '../domains/mailbox.ts';
import { inShort } from '../in-short.ts';
import type { Product } from '../letter/letter.ts';
import { type Mail, type MailSender, NoSuchAddress, NotYet, Refused, Unacknowledged, Undeliverable } from '../mail.ts';
import { withoutAddresses } from '../without-addresses.ts';
import { givenUpAfter, mostCopies, pauseAfter } from './backoff.ts';
import type { Line } from './line.ts';

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
  /** Where that very letter comes back to, by its id. */
  readonly returnPathOf: (letter: string) => string;
  readonly line: Pick<Line, 'holds'>;
  readonly catalog: (language: LanguageCode) => Promise<I18n>;
  readonly random: () => number;
  /** Told of each letter that was tried, and what became of it. */
  readonly told?: ((letter: TriedLetter) => void) | undefined;
}

export interface TriedLetter extends Pick<OutboxTable, 'id' | 'notice'> {
  readonly outcome: Outcome;
  readonly milliseconds: number;
}

/** `refused` waits for somebody to mend something, `released` for the server; `heldBack` would have come back again. */
export type Outcome = 'sent' | 'postponed' | 'refused' | 'released' | 'failed' | 'heldBack';

/** Tries to deliver one claimed letter, and writes down what came of it. */
export async function attempt(deps: AttemptDeps, letter: OutboxTable): Promise<Outcome> {
  const began = performance.now();
  const outcome = await deliver(deps, letter);
  deps.told?.({ id: letter.id, notice: letter.notice, outcome, milliseconds: performance.now() - began });
  return outcome;
}

async function deliver(deps: AttemptDeps, letter: OutboxTable): Promise<Outcome> {
  if (deps.now() - letter.created_at >= givenUpAfter) return giveUp(deps, letter, tooLate);
  try {
    // mutation: sent-before-it-is
    await sendMail(deps, letter);
  } catch (error) {
    if (error instanceof NoSuchAddress) await suppress(deps, letter, reasonOf(error));
    // mutation: given-up-early
    if (error instanceof Undeliverable) return giveUp(deps, letter, reasonOf(error));
    if (error instanceof Refused)
      return wait(deps, letter, { outcome: 'refused', steps: 'refused', error: reasonOf(error) });
    // mutation: unacknowledged-is-sent
    if (error instanceof Unacknowledged) return waitForSilence(deps, letter, `${unacknowledged} (${reasonOf(error)})`);
    const isLetters = error instanceof NotYet || (await deps.line.holds());
    if (isLetters) return wait(deps, letter, { outcome: 'postponed', steps: 'letter', error: reasonOf(error) });
    const { id, leased_until: leasedUntil } = letter;
    await releaseLetter(deps.store, { id, leasedUntil, error: reasonOf(error) });
    return 'released';
  }
  await markSent(deps.store, { id: letter.id, at: deps.now() });
  deps.log.info(about(letter), 'mail sent');
  return 'sent';
}

async function sendMail(
  { sender, product, from, returnPathOf, catalog, now }: AttemptDeps,
  letter: OutboxTable,
): Promise<void> {
  const text = await compose(letter, { product, catalog });
  await sender.send({
    ...text,
    id: letter.id,
    // By the row's id, so that a mail sent twice, because its acknowledgement was lost, is recognised as one.
    // mutation: message-id-by-try
    messageId: `<${inALabels(`${letter.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`)}>`,
    from,
    to: letter.recipient,
    returnPath: returnPathOf(letter.id),
    replyTo: product.supportEmail,
    date: new Date(now()),
  });
}

const unacknowledged = 'The mail server had the whole mail and did not acknowledge it';

/** Retries slowly and not for ever: the server may have stored each copy. Earlier attempts that failed for another reason are not copies. */
function waitForSilence(deps: AttemptDeps, letter: OutboxTable, error: string): Promise<Outcome> {
  const isLast = letter.attempts >= mostCopies && letter.last_error?.startsWith(unacknowledged);
  return isLast
    ? giveUp(deps, letter, `${error}, ${mostCopies} times; it may have arrived`)
    : wait(deps, letter, { outcome: 'postponed', steps: 'unacknowledged', error });
}

interface Wait {
  readonly outcome: 'postponed' | 'refused';
  readonly steps: 'letter' | 'refused' | 'unacknowledged';
  readonly error: string;
}

async function wait(
  { store, now, random, log }: AttemptDeps,
  letter: OutboxTable,
  { outcome, steps, error }: Wait,
): Promise<Outcome> {
  const lastChance = letter.created_at + givenUpAfter;
  const dueAt = Math.min(now() + pauseAfter(steps, { attempts: letter.attempts, random: random() }), lastChance);
  await postponeLetter(store, { id: letter.id, leasedUntil: letter.leased_until, dueAt, error });
  const details = { ...about(letter), error: withoutAddresses(error) };
  if (outcome === 'refused') log.error(details, 'mail refused by the server: somebody has to mend that');
  else log.warn(details, 'mail not sent, to be tried again');
  return outcome;
}

async function giveUp({ store, now, log }: AttemptDeps, letter: OutboxTable, reason: string): Promise<Outcome> {
  const isNews = letter.last_error && !reason.startsWith(letter.last_error);
  const error = isNews ? `${reason}. Before: ${letter.last_error}` : reason;
  await giveUpLetter(store, { id: letter.id, leasedUntil: letter.leased_until, at: now(), error });
  log.error({ ...about(letter), error: withoutAddresses(error) }, 'mail given up');
  return 'failed';
}

/** Does not even try what would come back. */
export async function holdBack({ store, now, log }: AttemptDeps, letter: OutboxTable): Promise<Outcome> {
  await giveUpLetter(store, { id: letter.id, leasedUntil: letter.leased_until, at: now(), error: heldBack });
  log.info(about(letter), 'mail held back: its address cannot be reached');
  return 'heldBack';
}

const suppress = ({ store, now }: AttemptDeps, { recipient }: OutboxTable, reason: string) =>
  suppressAddress(store, {
    email: recipient,
    reason: 'no_such_address',
    told_by: 'smtp',
    detail: withoutAddresses(reason),
    at: now(),
  });

export const tooLate = 'Not delivered within a day';

const about = (letter: OutboxTable) => ({ outbox: letter.id, notice: letter.notice, attempt: letter.attempts });

const reasonOf = (error: unknown): string => inShort(error instanceof Error ? error.message : String(error));
