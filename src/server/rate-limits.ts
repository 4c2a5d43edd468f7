import { hours, minutes } from '../contract/durations.ts';
import { openRateLimiter } from '../http/rate-limits/rate-limiter.ts';
import type { Config } from './config.ts';

// Rate limits that each node counts in memory; those in the database are in `store/rate-limits.ts`.

/** Nobody signs in more often than this to an account within a quarter of an hour; whoever does gets fewer turns. */
const signInsInARow = 100;
const enrolmentGuessesInARow = 20;
/** One that catches up after days without a network sends many batches; more is a fault or a stolen token. */
const deviceRequestsAMinute = 240;

/** Each writes lines that are kept for long. */
const changesAnHour = 120;
/** Each reads all that is kept of somebody, which nothing else does. */
const exportsAnHour = 6;

/** How often one may do what others could suffer from. */
export function openRateLimiters(config: Config, now: () => number) {
  const limit = (count: number, within: number) => openRateLimiter({ limit: count, within, now });
  return {
    signInFailures: limit(config.SIGN_IN_FAILURES_PER_ADDRESS, minutes(15)),
    signInsOfAccount: limit(signInsInARow, minutes(15)),
    changesOfAccount: limit(changesAnHour, hours(1)),
    exportsOfAccount: limit(exportsAnHour, hours(1)),
    registrationGuesses: limit(config.REGISTRATION_GUESSES_PER_ADDRESS, minutes(15)),
    newAccounts: limit(config.ACCOUNTS_PER_ADDRESS, hours(1)),
    enrolmentGuesses: limit(enrolmentGuessesInARow, minutes(15)),
    deviceRequests: limit(deviceRequestsAMinute, minutes(1)),
  };
}
