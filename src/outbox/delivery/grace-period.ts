import { seconds } from '../../contract/durations.ts';

/** How long shutdown waits for a silent mail server. The email is sent again later. */
const stopWithin = seconds(1);

/** A send, and when it began. */
export interface SendInProgress {
  readonly since: number;
  readonly ended: Promise<void>;
}

/** The time that sends in progress have when the service stops. */
export interface GracePeriod {
  track(ended: Promise<void>): SendInProgress;
  /** The period of sends in progress begins now, although the service still works: a proxy routes around it first. */
  announce(): void;
  /** Milliseconds until the last of these sends has had its time, since its beginning or the announcement. */
  remaining(sends: readonly SendInProgress[]): number;
}

/** `elapsed` is in milliseconds, since any moment. */
export function openGracePeriod(elapsed: () => number = () => performance.now()): GracePeriod {
  let announced: number | undefined;
  return {
    track: (ended) => ({ since: elapsed(), ended }),
    announce: () => {
      announced ??= elapsed();
    },
    remaining(sends) {
      const now = elapsed();
      const waited = sends.map(({ since }) => now - Math.max(since, announced ?? now));
      return Math.max(0, ...waited.map((milliseconds) => stopWithin - milliseconds));
    },
  };
}
