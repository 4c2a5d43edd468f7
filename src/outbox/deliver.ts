import { pino } from 'pino';
import { seconds } from '../contract/durations.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import { claimLetters, outboxBacklog } from '../store/outbox.ts';
import { type AttemptDeps, attempt } from './attempt.ts';
import { readMailFrom } from './mail.ts';
import { type NoticeName, otherNotices, urgentNotices } from './notices.ts';

/** A letter that another node wrote, or whose pause is over, waits at most this long. */
const pollEvery = seconds(1);
/** Longer than a sender may take (`senders/smtp.ts`), so that nobody else sends what is being sent. */
export const leaseFor = seconds(60);
const sendsAtOnce = 4;
/** Of them free for letters that somebody waits for, however slowly the others leave. */
const keptFree = 1;
/** Rounds fail for this long before `/readyz` says so. */
const unusableAfter = seconds(10);

/** The operator's settings that stand in mails. */
export interface MailSettings {
  readonly PRODUCT_NAME: string;
  readonly PUBLIC_URL: string;
  readonly MAIL_FROM: string;
  readonly SUPPORT_EMAIL?: string | undefined;
  readonly LOG_LEVEL: string;
}

export type OutboxDeps = Pick<AttemptDeps, 'store' | 'now' | 'sender'> &
  Partial<Pick<AttemptDeps, 'log' | 'random' | 'catalog'>> & { readonly config: MailSettings };

export interface Outbox {
  /** To be called after a transaction that posted has committed: the letter leaves at once. */
  wake(): void;
  /** Finishes what is being sent and takes no more. */
  stop(): Promise<void>;
  /** Whether letters can be claimed: the worker runs and reaches its database. */
  usable(): boolean;
  counts(): Promise<OutboxCounts>;
}

export interface OutboxCounts {
  /** Letters still to be sent, of every node. */
  readonly queued: number;
  /** Age of the oldest of them in milliseconds, 0 when there is none. */
  readonly oldest: number;
  /** Sent by this process. */
  readonly sent: number;
  /** Given up by this process. */
  readonly failed: number;
}

/** Starts the worker that delivers what was posted; any number of nodes may run one. */
export function startOutbox({ config, ...given }: OutboxDeps): Outbox {
  const deps: AttemptDeps = {
    log: pino({ level: config.LOG_LEVEL, base: null }),
    random: Math.random,
    catalog: openCatalogs(),
    product: { name: config.PRODUCT_NAME, publicUrl: config.PUBLIC_URL, supportEmail: config.SUPPORT_EMAIL },
    from: readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME),
    ...given,
  };
  const { store, now, log } = deps;
  const done = { sent: 0, failed: 0, postponed: 0 };
  const sending = new Set<Promise<void>>();
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
      // Somebody woke us between the last claim and here.
      if (again) wake();
    });
  }

  async function claimUntilNothingIsDue(): Promise<void> {
    try {
      while (again && !stopped) {
        again = false;
        const urgent = await claim(urgentNotices, sendsAtOnce - sending.size);
        const others = await claim(otherNotices, sendsAtOnce - keptFree - sending.size);
        lastGoodRound = performance.now();
        reachable = true;
        again ||= urgent.isFull || others.isFull;
      }
    } catch (error) {
      if (reachable) log.error({ err: error }, 'the outbox cannot reach its database');
      reachable = false;
    }
  }

  async function claim(notices: readonly NoticeName[], limit: number): Promise<{ isFull: boolean }> {
    // Whatever ends its sending wakes us again.
    if (limit <= 0) return { isFull: false };
    const claimed = await claimLetters(store, { limit, now: now(), leaseFor, notices });
    for (const letter of claimed) send(letter);
    return { isFull: claimed.length === limit };
  }

  function send(letter: Parameters<typeof attempt>[1]): void {
    const one = attempt(deps, letter)
      .then((outcome) => {
        done[outcome] += 1;
      })
      // Its lease ends by itself, and then it is tried again.
      .catch((error: unknown) =>
        log.error({ err: error, outbox: letter.id }, 'the outcome of a mail was not written down'),
      )
      .finally(() => {
        sending.delete(one);
        wake();
      });
    sending.add(one);
  }

  const poll = setInterval(wake, pollEvery).unref();
  wake();

  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(poll);
      await round;
      await Promise.all(sending);
      await deps.sender.close();
    },
    usable: () => !stopped && performance.now() - lastGoodRound < unusableAfter,
    async counts() {
      const { queued, oldest } = await outboxBacklog(store);
      return {
        queued,
        oldest: oldest === null ? 0 : Math.max(0, now() - oldest),
        sent: done.sent,
        failed: done.failed,
      };
    },
  };
}
