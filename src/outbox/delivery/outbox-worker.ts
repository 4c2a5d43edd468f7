import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { days, seconds } from '../../contract/units.ts';
import { ageOf, startWorker, type Worker } from '../../delivery/worker.ts';
import { openCatalogs } from '../../messages/compiled-catalogs.ts';
import type { Store } from '../../store/database.ts';
import {
  accountsTriedSince,
  emailQueue,
  givenUpAfter,
  giveUpEmailsBefore,
  makeAllDue,
  type OutboxTable,
  withNotice,
} from '../../store/emails/outbox.ts';
import { suppressedAmong } from '../../store/emails/suppression-list.ts';
import { returnAddress } from '../bounces/bounce-handler.ts';
import { readMailFrom, returnPathIn } from '../domains/addresses.ts';
import { type ProductSettings, productOf } from '../email/email-content.ts';
import { ignoresSuppression, isLimitedToOneADay, noticeNames } from '../notices.ts';
import { openCircuitBreaker } from './circuit-breaker.ts';
import { attemptDelivery, type DeliveryDeps, type EmailOutcome, tooLate, withhold } from './delivery-attempt.ts';

/** Longer than any send (`smtp/smtp.ts`). */
export const leaseFor = seconds(60);
const maxConcurrentSends = 4;
/** Sends reserved for urgent emails, however slow the others are. */
const reservedSends = 1;
/** A person is waiting for the result. */
const responseTimeout = seconds(3);

/** The operator's settings for emails. */
export interface MailSettings extends ProductSettings {
  readonly MAIL_FROM: string;
  readonly MAIL_RETURN_PATH?: string | undefined;
  readonly BOUNCE_ADDRESS?: string | undefined;
  readonly LOG_LEVEL: string;
}

export type OutboxDeps = Pick<DeliveryDeps, 'store' | 'now' | 'sender' | 'secrets'> &
  Partial<Pick<DeliveryDeps, 'log' | 'random' | 'catalog' | 'onAttempt'>> & {
    readonly config: MailSettings;
    /** Called for each email that is given up without another attempt. */
    readonly onGivenUp?: () => void;
    /** The token for the return path of an email, by its id. */
    readonly returnTokenOf?: (emailId: string) => string;
  };

/** Call `wake` after the transaction of `enqueueEmail` commits: the email leaves immediately. */
export interface Outbox extends Omit<Worker<EmailOutcome>, 'count'> {
  /** Whether emails can reach such an address; true if the mail server does not say. */
  reaches(address: string): Promise<boolean>;
  counts(): Promise<OutboxCounts>;
}

/** State of the outbox, for monitoring. */
export interface OutboxCounts {
  /** Emails still to be sent, across all nodes. */
  readonly queued: number;
  /** Age of the oldest of them in milliseconds; 0 if there are none. */
  readonly oldest: number;
  /** Sent by this process. */
  readonly sent: number;
  /** Given up by this process. */
  readonly failed: number;
  /** Held back by this process, because their addresses are on the suppression list. */
  readonly withheld: number;
  /** Refusals that this process received and that someone has to fix. */
  readonly refused: number;
  /** Why the mail server accepts nothing from this process; undefined while it does. */
  readonly lastError: string | undefined;
}

/** Starts the worker that delivers the outbox; any number of nodes may run one. */
export function startOutbox({ config, returnTokenOf, onGivenUp, ...given }: OutboxDeps): Outbox {
  const from = readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME);
  const returnPath = returnPathIn(config);
  const known = { log: pino({ level: config.LOG_LEVEL, base: null }), random: Math.random, ...given };
  const breaker = openCircuitBreaker({ ...known, from: returnPath, onRecovery: () => worker.wake() });
  const deps: DeliveryDeps = {
    catalog: openCatalogs(),
    product: productOf(config),
    from,
    returnPathOf: (email) =>
      config.BOUNCE_ADDRESS && returnTokenOf ? returnAddress(config.BOUNCE_ADDRESS, returnTokenOf(email)) : returnPath,
    breaker,
    ...known,
  };
  const { store, now, log, sender } = deps;
  let tooOld = 0;

  /** Even while no mail server responds. */
  async function giveUpWhatIsTooOld(): Promise<void> {
    const at = now();
    const givenUp = await giveUpEmailsBefore(store, { before: at - givenUpAfter, now: at, error: tooLate });
    tooOld += givenUp.length;
    for (const { id, ...email } of givenUp) {
      log.error({ outbox: id, ...email, error: tooLate }, 'email given up');
      onGivenUp?.();
    }
  }

  const worker = startWorker({
    what: 'email',
    queue: emailQueue,
    ...{ store, now, log, leaseFor },
    where: withNotice(noticeNames),
    lanes: () => [{ name: 1, newestFirst: true }, { name: 0 }],
    room: ({ lane, total }) => (lane === 1 ? maxConcurrentSends : maxConcurrentSends - reservedSends) - total,
    async mayClaim() {
      const isUp = breaker.allowsDelivery();
      if (!isUp) await giveUpWhatIsTooOld();
      return isUp;
    },
    onStart: (at) => makeAllDue(store, at),
    async knownOutcomes(emails) {
      const toWithhold = await emailsToWithhold(store, { emails, now: now() });
      const withheld = emails.filter(({ id }) => toWithhold.has(id));
      return new Map(withheld.map((email) => [email.id, withhold(deps, email)]));
    },
    send: (email) => attemptDelivery(deps, email),
    // Ends sends still in progress, which are recorded as not sent.
    async abandon() {
      breaker.stop();
      await sender.close();
    },
  });

  return {
    ...worker,
    reaches: (address) =>
      Promise.race([sender.takes(address).catch(() => true), pause(responseTimeout, true, { ref: false })]),
    async counts() {
      const { queued, oldest } = await emailQueue.backlog(store);
      return {
        queued,
        oldest: ageOf(oldest, now()),
        sent: worker.count('sent'),
        failed: worker.count('failed') + tooOld,
        withheld: worker.count('withheld'),
        refused: worker.count('refused'),
        lastError: breaker.lastError(),
      };
    },
  };
}

interface Claimed {
  /** Emails of one claim; urgent ones are sorted newest first. */
  readonly emails: readonly OutboxTable[];
  readonly now: number;
}

/**
 * Returns the emails to hold back because their addresses are on the suppression list. Two kinds leave anyway: the link
 * that takes an address off the list, and one recovery a day for each account, so that its owner can get in without the
 * operator.
 */
async function emailsToWithhold(store: Store, { emails, now }: Claimed): Promise<ReadonlySet<string>> {
  const isUnreachable = await suppressedAmong(store, emails);
  const suppressed = emails.filter((email) => isUnreachable(email) && !ignoresSuppression(email.notice));
  const recoveries = suppressed.filter(({ notice, account_id }) => isLimitedToOneADay(notice) && account_id !== null);
  const asked = { emails: recoveries, since: now - days(1) };
  const tried = recoveries.length > 0 ? await accountsTriedSince(store, asked) : new Set<string>();
  const allowed = new Set<string>();
  for (const { id, account_id: account } of recoveries) {
    if (account === null || tried.has(account)) continue;
    tried.add(account);
    allowed.add(id);
  }
  return new Set(suppressed.flatMap(({ id }) => (allowed.has(id) ? [] : [id])));
}
