import { hours, minutes, seconds } from '../../contract/units.ts';
import { pauses } from '../../delivery/worker.ts';
import { type EmailSender, redactAddresses, SendingBlocked } from '../compose.ts';

/** Spreads the retries of emails that failed together. */
const jitter = 0.2;

/** Returns how long to wait after the n-th failed attempt, in milliseconds. */
export const pauseAfter = {
  /** After a temporary refusal: never longer than five minutes, since a person is waiting. */
  email: pauses([seconds(2), seconds(10), seconds(30), minutes(2), minutes(5)], jitter),
  /** After a refusal that lasts until someone fixes the cause: eight attempts a day, not a flood of equal refusals. */
  refused: pauses([minutes(15), hours(1), hours(3), hours(6)], jitter),
  /** After the server received the whole email without acknowledging it: each attempt may put another copy into the mailbox. */
  unacknowledged: pauses([minutes(2), minutes(15), hours(1), hours(3), hours(6)], jitter),
  /** After the server did not respond: a probe is only one connection, and every email waits for it. */
  server: pauses([seconds(1), seconds(2), seconds(5), seconds(10), seconds(15)], jitter),
  /** After the server refused us: a relay may lock out clients that connect too often. */
  refusing: pauses([seconds(15), minutes(1), minutes(5)], jitter),
};

/**
 * The circuit breaker for the mail server, shared by all emails: the first email that finds the server down stops the
 * others.
 */
export type CircuitBreaker = ReturnType<typeof openCircuitBreaker>;

interface CircuitBreakerDeps {
  readonly sender: Pick<EmailSender, 'check'>;
  /** Envelope sender of the probes. */
  readonly from: string;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Record<'info' | 'error', (details: object, message: string) => void>;
  /** Called when the server is back, so that all waiting emails leave immediately. */
  readonly onRecovery: () => void;
}

export function openCircuitBreaker({ sender, from, now, random, log, onRecovery }: CircuitBreakerDeps) {
  let outage: { reason: string; tries: number; since: number; lookedAt: number; retryAt: number } | undefined;
  let looking: Promise<boolean> | undefined;
  let left = false;

  /** Probes the server; simultaneous callers share one probe. */
  function look(): Promise<boolean> {
    looking ??= sender
      .check({ from })
      .then(resume, interrupt)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  function resume(): boolean {
    if (outage) log.info({ seconds: Math.round((now() - outage.since) / 1000) }, 'the mail server is back');
    outage = undefined;
    return true;
  }

  function interrupt(error: unknown): boolean {
    if (left) return false;
    const at = now();
    const reason = error instanceof Error ? error.message : String(error);
    const tries = (outage?.tries ?? 0) + 1;
    const pauseOf = error instanceof SendingBlocked ? pauseAfter.refusing : pauseAfter.server;
    const pause = pauseOf({ attempts: tries, random: random() });
    // Log each error once, not at every attempt.
    if (outage?.reason !== reason) log.error({ error: redactAddresses(reason) }, 'the mail server accepts nothing');
    outage = { reason, tries, since: outage?.since ?? at, lookedAt: at, retryAt: at + pause };
    return false;
  }

  return {
    /** Whether emails may leave. During an outage, it probes the server, after growing pauses. */
    allowsDelivery(): boolean {
      if (!outage) return true;
      const at = now();
      // A clock that was set back would extend the pause.
      const isTime = at >= outage.retryAt || at < outage.lookedAt;
      if (isTime && !looking && !left) void look().then((isBack) => isBack && onRecovery());
      return false;
    },
    /**
     * Probes the server after a send without a response. True if the server is up, so that the failure concerns only this
     * email.
     */
    probe: async (): Promise<boolean> => !left && outage === undefined && (await look()),
    stop(): void {
      left = true;
    },
    /** Why emails cannot leave, in the server's or the system's words; undefined while they can. */
    lastError: (): string | undefined => outage?.reason,
  };
}
