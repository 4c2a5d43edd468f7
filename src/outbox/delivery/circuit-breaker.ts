import { type EmailSender, SendingBlocked } from '../email-message.ts';
import { redactAddresses } from '../redact-addresses.ts';
import { pauseAfter } from './backoff.ts';

/** The way to the mail server, one for all letters: whoever finds it closed says so for everybody. */
export interface CircuitBreaker {
  /** Whether letters may leave. While the server is away it is looked for, each time after a longer pause. */
  allowsDelivery(): boolean;
  /** After a send that nobody answered: whether the server is there all the same, and the fault is the letter's. */
  probe(): Promise<boolean>;
  /** Nobody is looked for any more. */
  stop(): void;
  /** Why it is closed, in the server's words or the system's; undefined while it is open. */
  lastError(): string | undefined;
}

interface CircuitBreakerDeps {
  readonly sender: Pick<EmailSender, 'examine'>;
  /** Who mails come from. */
  readonly from: string;
  readonly now: () => number;
  readonly random: () => number;
  readonly log: Record<'info' | 'error', (details: object, message: string) => void>;
  /** Called when the server is back: everything that waits may leave at once. */
  readonly onRecovery: () => void;
}

interface Outage {
  readonly fault: string;
  readonly tries: number;
  readonly since: number;
  readonly lookedAt: number;
  readonly retryAt: number;
}

export function openCircuitBreaker({ sender, from, now, random, log, onRecovery }: CircuitBreakerDeps): CircuitBreaker {
  let closed: Outage | undefined;
  let looking: Promise<boolean> | undefined;
  let left = false;

  /** One look at a time, whoever asks for it. */
  function look(): Promise<boolean> {
    looking ??= sender
      .examine({ from })
      .then(open, close)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  }

  function open(): boolean {
    if (closed) log.info({ seconds: Math.round((now() - closed.since) / 1000) }, 'the mail server is back');
    closed = undefined;
    return true;
  }

  function close(error: unknown): boolean {
    if (left) return false;
    const at = now();
    const fault = error instanceof Error ? error.message : String(error);
    const tries = (closed?.tries ?? 0) + 1;
    const pause = pauseAfter(error instanceof SendingBlocked ? 'refusing' : 'server', {
      attempts: tries,
      random: random(),
    });
    // Once for each fault, and not at each of so many tries.
    if (closed?.fault !== fault) log.error({ error: redactAddresses(fault) }, 'the mail server takes nothing');
    closed = { fault, tries, since: closed?.since ?? at, lookedAt: at, retryAt: at + pause };
    return false;
  }

  return {
    allowsDelivery() {
      if (!closed) return true;
      const at = now();
      // A clock that was put back would make the pause longer.
      const isTime = at >= closed.retryAt || at < closed.lookedAt;
      if (isTime && !looking && !left) void look().then((isBack) => isBack && onRecovery());
      return false;
    },
    // mutation: looks-while-closed
    probe: async () => !left && closed === undefined && (await look()),
    stop() {
      left = true;
    },
    lastError: () => closed?.fault,
  };
}
