import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { seconds } from '../../contract/durations.ts';
import { openCatalogs } from '../../messages/compiled-catalogs.ts';
import { watchClock } from '../../store/clock-changes.ts';
import { claimEmails, makeAllDue, shiftTimes } from '../../store/emails/claim-emails.ts';
import { givenUpAfter } from '../../store/emails/delivery-limit.ts';
import { giveUpEmailsBefore, type OutboxTable, outboxBacklog } from '../../store/emails/outbox.ts';
import { returnAddress } from '../bounces/return-address.ts';
import { type ProductSettings, productOf } from '../email/email-content.ts';
import { readMailFrom, returnPathIn } from '../email-message.ts';
import { noticeNames } from '../notices.ts';
import { openCircuitBreaker } from './circuit-breaker.ts';
import { attemptDelivery, type DeliveryDeps, type DeliveryOutcome, holdBack, tooLate } from './delivery-attempt.ts';
import { emailsToHoldBack } from './emails-to-hold-back.ts';
import { openGracePeriod, type SendInProgress } from './grace-period.ts';
import type { OutboxCounts } from './outbox-counts.ts';

/** Longest wait of an email that another node wrote, or whose pause is over. */
const pollEvery = seconds(1);
/** Longer than any send (`smtp/smtp.ts`), so that no other worker claims an email that is being sent. */
export const leaseFor = seconds(60);
const sendsAtOnce = 4;
/** Sends reserved for urgent emails, however slow the others are. */
const keptFree = 1;
/** How long rounds may fail before `/readyz` reports it. */
const unusableAfter = seconds(10);
/** A person is waiting for the result. */
const answerWithin = seconds(3);

/** The operator's settings for emails. */
export interface MailSettings extends ProductSettings {
  readonly MAIL_FROM: string;
  readonly MAIL_RETURN_PATH?: string | undefined;
  readonly BOUNCE_ADDRESS?: string | undefined;
  readonly LOG_LEVEL: string;
}

export type OutboxDeps = Pick<DeliveryDeps, 'store' | 'now' | 'sender'> &
  Partial<Pick<DeliveryDeps, 'log' | 'random' | 'catalog' | 'onAttempt'>> & {
    readonly config: MailSettings;
    /** The token for the return path of an email, by its id. */
    readonly returnTokenOf?: (emailId: string) => string;
  };

export interface Outbox {
  /** Call it after the transaction of `enqueueEmail` commits: the email leaves immediately. */
  wake(): void;
  /** The service is about to stop: sends in progress have a second from now on. */
  announceStop(): void;
  /** Finishes sends in progress if the mail server responds in time, and claims no more. */
  stop(): Promise<void>;
  /** Whether emails can be claimed: the worker runs and reaches its database. */
  usable(): boolean;
  /** Whether emails can reach such an address; true if the mail server does not say. */
  reaches(address: string): Promise<boolean>;
  counts(): Promise<OutboxCounts>;
}

/** Starts the worker that delivers the outbox; any number of nodes may run one. */
export function startOutbox({ config, returnTokenOf, ...given }: OutboxDeps): Outbox {
  const from = readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME);
  const returnPath = returnPathIn(config);
  const known = { log: pino({ level: config.LOG_LEVEL, base: null }), random: Math.random, ...given };
  const breaker = openCircuitBreaker({ ...known, from: returnPath, onRecovery: () => wake() });
  const deps: DeliveryDeps = {
    catalog: openCatalogs(),
    product: productOf(config),
    from,
    returnPathOf: (email) =>
      config.BOUNCE_ADDRESS && returnTokenOf ? returnAddress(config.BOUNCE_ADDRESS, returnTokenOf(email)) : returnPath,
    breaker,
    ...known,
  };
  const { store, now, log } = deps;
  const done = { sent: 0, failed: 0, heldBack: 0, postponed: 0, refused: 0, released: 0 };
  /** Sends in progress, by email. */
  const sending = new Map<string, SendInProgress>();
  const grace = openGracePeriod();
  const followClock = watchClock({
    now,
    onStart: (step) => makeAllDue(store, { ...step, leaseFor }),
    onSetBack: (step) => shiftTimes(store, { ...step, leaseFor }),
  });
  let round: Promise<void> | undefined;
  let again = false;
  let stopped = false;
  let reachable = true;
  let lastGoodRound = performance.now();

  function wake(): void {
    again = true;
    if (stopped || round) return;
    round = claimUntilNothingIsDue().finally(() => {
      round = undefined;
      // `wake` was called after the last claim.
      if (again) wake();
    });
  }

  async function claimUntilNothingIsDue(): Promise<void> {
    try {
      while (again && !stopped) {
        again = false;
        await followClock();
        const isFull = breaker.allowsDelivery() ? await claimWhatIsDue() : await giveUpWhatIsTooOld();
        lastGoodRound = performance.now();
        reachable = true;
        again ||= isFull;
      }
    } catch (error) {
      if (reachable) log.error({ err: error }, 'the outbox cannot reach its database');
      reachable = false;
    }
  }

  /** Returns whether more emails may be due. */
  async function claimWhatIsDue(): Promise<boolean> {
    const urgentIsFull = await claim({ urgent: 1, limit: sendsAtOnce - sending.size });
    const othersAreFull = await claim({ urgent: 0, limit: sendsAtOnce - keptFree - sending.size });
    return urgentIsFull || othersAreFull;
  }

  async function claim({ urgent, limit }: { urgent: 0 | 1; limit: number }): Promise<boolean> {
    // Each send that ends wakes us again.
    if (limit <= 0) return false;
    const terms = { notices: noticeNames, sending: [...sending.keys()], leaseFor, now: now() };
    const claimed = await claimEmails(store, { urgent, limit, ...terms });
    const toHoldBack = await emailsToHoldBack(store, { emails: claimed, now: now() });
    for (const email of claimed) {
      const isHeldBack = toHoldBack.has(email.id);
      send(email, isHeldBack ? holdBack(deps, email) : attemptDelivery(deps, email));
    }
    return claimed.length === limit;
  }

  async function giveUpWhatIsTooOld(): Promise<boolean> {
    const at = now();
    const tooOld = await giveUpEmailsBefore(store, { before: at - givenUpAfter, now: at, error: tooLate });
    done.failed += tooOld.length;
    for (const { id, ...email } of tooOld) log.error({ outbox: id, ...email, error: tooLate }, 'email given up');
    return false;
  }

  function send(email: Pick<OutboxTable, 'id'>, trying: Promise<DeliveryOutcome>): void {
    const one = trying
      .then((outcome) => {
        done[outcome] += 1;
      })
      // Its lease expires, and it is tried again.
      .catch((error: unknown) => log.error({ err: error, outbox: email.id }, 'cannot record the outcome of an email'))
      .finally(() => {
        sending.delete(email.id);
        wake();
      });
    sending.set(email.id, grace.track(one));
  }

  const poll = setInterval(wake, pollEvery).unref();
  wake();

  return {
    wake,
    announceStop: grace.announce,
    async stop() {
      stopped = true;
      clearInterval(poll);
      await round;
      const underWay = Promise.all([...sending.values()].map(({ ended }) => ended));
      await Promise.race([underWay, pause(grace.remaining([...sending.values()]), undefined, { ref: false })]);
      // Ends sends still in progress, which are recorded as not sent.
      breaker.stop();
      await deps.sender.close();
      await underWay;
    },
    reaches: (address) =>
      Promise.race([deps.sender.takes(address).catch(() => true), pause(answerWithin, true, { ref: false })]),
    usable: () => !stopped && performance.now() - lastGoodRound < unusableAfter,
    async counts() {
      const { queued, oldest } = await outboxBacklog(store);
      return {
        queued,
        oldest: oldest === null ? 0 : Math.max(0, now() - oldest),
        sent: done.sent,
        failed: done.failed,
        heldBack: done.heldBack,
        refused: done.refused,
        lastError: breaker.lastError(),
      };
    },
  };
}
